import { FlaskConical, Trash2 } from "lucide-react";
import { useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/notice.tsx";
import { useSampleJobs } from "./use-sample-jobs.ts";

/** A few jobs to look at, for whoever has none yet. */
export function SampleJobs() {
  const mayWrite = useMay("write");
  const { present, echo, load, remove } = useSampleJobs();
  if (!mayWrite) return <p className="text-muted">Your role does not include making jobs, so there are no samples.</p>;
  if (present)
    return (
      <div className="flex flex-col items-start gap-2">
        <p className="text-muted">The sample jobs are there. Their executions are kept when they are removed.</p>
        <Button
          busy={remove.isPending}
          icon={<Trash2 aria-hidden className="size-4" />}
          onClick={() => remove.mutate()}
        >
          Remove sample jobs
        </Button>
      </div>
    );
  const url = echo.data;
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-muted">
        Eight jobs that run at once: steady, flaky, failing, overlapping, paused, in several zones and one for a single
        time. They call this server only, and are removed with one press.
      </p>
      {typeof url === "string" && (
        <Button
          busy={load.isPending}
          icon={<FlaskConical aria-hidden className="size-4" />}
          onClick={() => load.mutate(url)}
        >
          Load sample jobs
        </Button>
      )}
      {url === null && (
        <p>
          This server has nothing they could call. Start one with <code className="font-mono">punctual dev</code> to try
          them.
        </p>
      )}
      {echo.isError && <p role="alert">Whether they can be loaded is not known: {errorText(echo.error)}</p>}
    </div>
  );
}
