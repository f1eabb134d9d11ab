import { Link } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useMemo } from "react";
import { useMay } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { Notice } from "../../ui/notice.tsx";
import { codeSamples } from "./code-samples.ts";

/** What to paste into a terminal or a program. */
export function CodeTab({ job }: { job: Job }) {
  const samples = useMemo(() => codeSamples(job, location.origin), [job]);
  if (job.state === "deleted") return <Notice tone="warn">It was deleted: there is nothing to call any more.</Notice>;
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <AboutKeys />
      {samples.map(({ title, about, text }) => (
        <Card key={title} title={title}>
          <p className="text-muted mb-2 text-xs [overflow-wrap:anywhere]">{about}</p>
          <Code label={title} text={text} />
        </Card>
      ))}
    </div>
  );
}

function AboutKeys() {
  const mayMake = useMay("admin");
  const where = mayMake ? (
    <>
      make one under{" "}
      <Link to="/settings/$section" params={{ section: "keys" }} className="text-accent underline">
        Settings, API keys
      </Link>
    </>
  ) : (
    "an admin makes one"
  );
  return (
    <p className="text-muted">
      PUNCTUAL_API_KEY is a key of this project: {where}. To run a job, the scope “operate” is enough; to write one,
      “write”.
    </p>
  );
}
