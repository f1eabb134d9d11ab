import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Job, JobVersion, Json } from "punctual/client";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";
import { DiffLines } from "./diff-lines.tsx";
import { specOf } from "./spec.ts";
import { specDiff } from "./spec-diff.ts";

interface RestoreProps {
  job: Job;
  version: JobVersion;
  onClose: () => void;
}

/** Shows what would change before it does. */
export function RestoreVersion({ version, ...rest }: Omit<RestoreProps, "version"> & { version: JobVersion | null }) {
  return (
    <Dialog
      wide
      open={version !== null}
      onClose={rest.onClose}
      title={`Restore version ${version?.version ?? ""}?`}
      about="The job becomes what it was then, as a new version. Nothing is lost: the versions between stay."
    >
      {version !== null && <Restore version={version} {...rest} />}
    </Dialog>
  );
}

function Restore({ job, version, onClose }: RestoreProps) {
  const client = useClient();
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () => client.jobs.restore(job.id, version.version),
    onSuccess: (restored) => {
      tell(`Version ${version.version} holds again, as version ${restored.version}`);
      readAgain(queries, "job", "jobs");
      onClose();
    },
  });
  const lines = specDiff(specOf(job) as unknown as Json, specOf(version.spec) as unknown as Json);
  return (
    <div className="flex flex-col gap-3">
      <DiffLines label="What would change" lines={lines} />
      {restore.error && (
        <Notice tone="bad" role="alert">
          {errorText(restore.error)}
        </Notice>
      )}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
          Restore
        </Button>
      </Actions>
    </div>
  );
}
