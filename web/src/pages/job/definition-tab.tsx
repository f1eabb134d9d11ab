import type { Job } from "punctual/client";
import { Card, Facts } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { FullTime } from "../../ui/time.tsx";
import { writeJson } from "./json-text.ts";
import { Policies } from "./policies.tsx";
import { specOf } from "./spec.ts";

/** The job as it was written, and what that means. */
export function DefinitionTab({ job }: { job: Job }) {
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Card title="As JSON">
        <Code tall wrap label="the definition" text={writeJson(specOf(job))} />
      </Card>
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Rules">
          <Policies spec={job} />
        </Card>
        <Card title="About">
          <Facts
            items={[
              [
                "Id",
                <span key="id" className="font-mono text-xs">
                  {job.id}
                </span>,
              ],
              ["Version", job.version],
              ["Made", <FullTime key="made" at={job.createdAt} />],
              ["Changed", <FullTime key="changed" at={job.updatedAt} />],
              ["Belongs to", job.source ?? "nobody: it was made by hand"],
            ]}
          />
        </Card>
      </div>
    </div>
  );
}
