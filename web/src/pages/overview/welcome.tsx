import { Link } from "@tanstack/react-router";
import { CalendarPlus } from "lucide-react";
import { useMay } from "../../api/session.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { useEchoUrl } from "./use-echo-url.ts";

/** In place of an overview of nothing: the way to the first job. */
export function Welcome() {
  const mayWrite = useMay("write");
  return (
    <Card title="No job yet">
      {mayWrite ? (
        <FirstJob />
      ) : (
        <p>
          Here you will see what ran, what did not and what comes next. Your role does not include making jobs; somebody
          whose role is editor or admin can.
        </p>
      )}
    </Card>
  );
}

function FirstJob() {
  const target = useEchoUrl() ?? "https://example.com/hook";
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <p>
        A job is what to call and when. Make one here, or from a terminal or a program; what ran, what did not and what
        comes next then shows on this page.
      </p>
      <div className="flex flex-wrap items-start gap-3">
        <Link to="/jobs/new" className={buttonClass({ look: "primary" })}>
          <CalendarPlus aria-hidden className="size-4" />
          Create a job
        </Link>
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        <p>
          The same from a terminal, with a key from{" "}
          <Link
            to="/settings/$section"
            params={{ section: "api-keys" }}
            className="text-accent underline-offset-2 hover:underline"
          >
            Settings
          </Link>{" "}
          in <code className="font-mono text-xs">PUNCTUAL_API_KEY</code>:
        </p>
        <Code label="the first job as a curl command" text={firstCall(location.origin, target)} />
      </div>
    </div>
  );
}

function firstCall(server: string, target: string): string {
  return [
    `curl -sS -X PUT '${server}/api/v1/jobs/hello' \\`,
    `  -H "authorization: Bearer $PUNCTUAL_API_KEY" \\`,
    "  -H 'content-type: application/json' \\",
    "  -d '{",
    '    "schedule": { "every": "10s" },',
    `    "target": { "type": "http", "url": "${target}" }`,
    "  }'",
  ].join("\n");
}
