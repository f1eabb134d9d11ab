import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import type { Job, JobVersion, Json } from "punctual/client";
import { useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { Failure, Loading } from "../../ui/notice.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { FullTime } from "../../ui/time.tsx";
import { DiffLines } from "./diff-lines.tsx";
import { writeJson } from "./json-text.ts";
import { RestoreVersion } from "./restore-version.tsx";
import { specOf } from "./spec.ts";
import { specDiff } from "./spec-diff.ts";

const PAGE = 20;

/** How the job came to be what it is: every version as what it changed. */
export function VersionsTab({ job }: { job: Job }) {
  const client = useClient();
  const mayRestore = useMay("write") && job.state !== "deleted";
  const [restoring, setRestoring] = useState<JobVersion | null>(null);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    // A version never changes, and that there is a new one is in the key: executions are no reason to read them again.
    queryKey: ["settings", "versions of", job.id, job.version],
    queryFn: ({ signal, pageParam }) =>
      client.jobs.versions(job.id, { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (data === undefined) return error === null ? <Loading /> : <Failure error={error} retry={() => void refetch()} />;
  const versions = data.pages.flatMap(({ items }) => items);
  // The oldest that is loaded waits for the one before it, to be compared with it.
  const shown = hasNextPage ? versions.slice(0, -1) : versions;
  return (
    <>
      <ol aria-label={`Versions of ${job.name}`} className="flex flex-col gap-3">
        {shown.map((version, index) => (
          <li key={version.version}>
            <VersionCard
              version={version}
              before={versions[index + 1] ?? null}
              isCurrent={version.version === job.version}
              onRestore={mayRestore && version.version !== job.version ? () => setRestoring(version) : undefined}
            />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button className="self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older versions
        </Button>
      )}
      <RestoreVersion job={job} version={restoring} onClose={() => setRestoring(null)} />
    </>
  );
}

function VersionCard({
  version,
  before,
  isCurrent,
  onRestore,
}: {
  version: JobVersion;
  before: JobVersion | null;
  isCurrent: boolean;
  onRestore: (() => void) | undefined;
}) {
  const [isWhole, setWhole] = useState(false);
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          Version {version.version}
          {isCurrent && <Badge tone="ok" text="current" />}
          <span className="text-muted font-normal">
            {version.createdBy === null ? "" : `by ${version.createdBy}, `}
            {version.source === null ? "" : `from ${version.source}, `}
            <FullTime at={version.createdAt} />
          </span>
        </span>
      }
      aside={
        <span className="flex gap-2">
          <Button look="quiet" size="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Only the change" : "The whole"}
          </Button>
          {onRestore && (
            <Button size="small" icon={<RotateCcw aria-hidden className="size-3.5" />} onClick={onRestore}>
              Restore
            </Button>
          )}
        </span>
      }
    >
      {isWhole ? (
        <Code wrap label={`version ${version.version}`} text={writeJson(specOf(version.spec))} />
      ) : before === null ? (
        <p className="text-muted">The first version.</p>
      ) : (
        <DiffLines
          label={`What version ${version.version} changed`}
          lines={specDiff(specOf(before.spec) as unknown as Json, specOf(version.spec) as unknown as Json)}
        />
      )}
    </Card>
  );
}
