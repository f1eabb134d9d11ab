import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMay } from "../../api/session.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { Empty } from "../../ui/notice.tsx";
import { SampleJobs } from "./sample-jobs.tsx";
import { useSampleJobs } from "./use-sample-jobs.ts";

/** For a project without a job: three ways to the first one. */
export function FirstContact() {
  const mayWrite = useMay("write");
  if (!mayWrite)
    return (
      <Card>
        <Empty title="There are no jobs in this project yet.">
          <p>Whoever may make jobs here can make the first one; you will see it as soon as it is there.</p>
        </Empty>
      </Card>
    );
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card title="Make your first job">
        <div className="flex flex-col items-start gap-3">
          <p className="text-muted">
            A job says when something is to happen and what: an address that is called, a handler in your own program,
            or a command. The form shows the next ten times while you write the schedule.
          </p>
          <Link to="/jobs/new" className={buttonClass({ look: "primary" })}>
            <Plus aria-hidden className="size-4" />
            New job
          </Link>
        </div>
      </Card>
      <Card title="Look around first">
        <SampleJobs />
      </Card>
      <Card title="Or from a terminal" className="lg:col-span-2">
        <FirstCurl />
      </Card>
    </div>
  );
}

function FirstCurl() {
  const mayAdmin = useMay("admin");
  const { echo } = useSampleJobs();
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        It makes a job that runs every ten seconds; sent again, it changes nothing. Put an API key into{" "}
        <code className="text-ink font-mono">PUNCTUAL_API_KEY</code> first:{" "}
        {mayAdmin ? (
          <Link
            to="/settings/$section"
            params={{ section: "keys" }}
            className="text-accent underline underline-offset-2"
          >
            make a key
          </Link>
        ) : (
          "an admin of the project can make one for you"
        )}
        .
      </p>
      <Code label="the command" text={firstCurl(location.origin, echo.data ?? "https://example.com/")} wrap />
    </div>
  );
}

function firstCurl(origin: string, target: string): string {
  const job = { schedule: { every: "10s" }, target: { type: "http", url: target }, payload: { hello: "world" } };
  return [
    `curl -sS -X PUT '${origin}/api/v1/jobs/hello' \\`,
    `  -H "authorization: Bearer $PUNCTUAL_API_KEY" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(job)}'`,
  ].join("\n");
}
