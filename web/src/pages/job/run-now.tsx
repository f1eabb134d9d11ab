import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Job, TriggeredExecution, TriggerInput } from "punctual/client";
import { useState } from "react";
import { readAgain } from "../../api/queries.ts";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { JsonEditor } from "../../ui/json-editor.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { FullTime } from "../../ui/time.tsx";
import { instantAt, wallText } from "../../ui/wall-time.ts";
import { useZone } from "../../ui/zone.ts";
import { emptyText, readJson, writeJson } from "./json-text.ts";

const STARTS = [
  ["now", "Now"],
  ["delay", "After a delay"],
  ["at", "At a time"],
] as const;
type Start = (typeof STARTS)[number][0];

const TEN_MINUTES_MS = 600_000;

export function RunNow({ job, open, onClose }: { job: Job; open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Run ${job.name}`}
      about={
        job.state === "paused" ? "It stays paused: only this one runs." : "Beside its schedule, and whatever else runs."
      }
    >
      <RunDialog job={job} onClose={onClose} />
    </Dialog>
  );
}

function RunDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: (input: TriggerInput) => client.jobs.trigger(job.id, input),
    onSuccess: () => {
      readAgain(queries, "executions", "job", "jobs");
    },
  });
  if (run.data !== undefined) return <Triggered execution={run.data} onClose={onClose} onAgain={() => run.reset()} />;
  return <RunForm job={job} error={run.error} busy={run.isPending} onRun={run.mutate} onClose={onClose} />;
}

function RunForm({
  job,
  error,
  busy,
  onRun,
  onClose,
}: {
  job: Job;
  error: Error | null;
  busy: boolean;
  onRun: (input: TriggerInput) => void;
  onClose: () => void;
}) {
  const zone = useZone();
  const preset = writeJson(job.payload);
  const [payload, setPayload] = useState(preset);
  const [start, setStart] = useState<Start>("now");
  const [delay, setDelay] = useState("10m");
  const [at, setAt] = useState(() => wallText(new Date(Date.now() + TEN_MINUTES_MS), zone));
  const [key, setKey] = useState("");
  const read = readJson(payload);
  const runAt = instantAt(at, zone);
  const isWrong = read === null || (start === "at" && runAt === null) || (start === "delay" && delay.trim() === "");
  const submit = () => {
    if (isWrong) return;
    onRun({
      // Left as it is, it is the job's: also if that is changed before this runs.
      ...(payload === preset ? {} : { payload: read.value }),
      ...(start === "delay" ? { delay: delay.trim() } : {}),
      ...(start === "at" && runAt !== null ? { runAt } : {}),
      ...(key.trim() === "" ? {} : { key: key.trim() }),
    });
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <JsonEditor label="Payload" value={payload} onChange={setPayload} error={emptyText(payload)} />
      <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2">
        <Field label="When">
          {(wiring) => <Select {...wiring} options={STARTS} value={start} onChange={setStart} />}
        </Field>
        {start === "delay" && (
          <Field
            label="Delay"
            about="Such as 90s, 10m or 2h."
            error={delay.trim() === "" ? "Write how long from now." : null}
          >
            {(wiring) => <Input {...wiring} value={delay} onChange={(event) => setDelay(event.target.value)} />}
          </Field>
        )}
        {start === "at" && (
          <Field label={`At, in ${zone}`} error={runAt === null ? "Choose a date and a time." : null}>
            {(wiring) => (
              <Input {...wiring} type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
            )}
          </Field>
        )}
      </div>
      <Field label="Key (optional)" about="The same key for this job is the same execution: it never runs twice.">
        {(wiring) => <Input {...wiring} value={key} maxLength={255} onChange={(event) => setKey(event.target.value)} />}
      </Field>
      {error && (
        <Notice tone="bad" role="alert">
          {errorText(error)}
        </Notice>
      )}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy} disabled={isWrong}>
          {start === "now" ? "Run" : "Plan"}
        </Button>
      </Actions>
    </form>
  );
}

/** What became of it, as it happens. */
function Triggered({
  execution,
  onClose,
  onAgain,
}: {
  execution: TriggeredExecution;
  onClose: () => void;
  onAgain: () => void;
}) {
  const client = useClient();
  const { data = execution } = useQuery(reads.execution(client, execution.id));
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <ExecutionStateBadge state={data.state} />
        <FullTime at={data.startedAt ?? data.runAt} />
      </p>
      {execution.deduplicated && (
        <Notice tone="run">
          This key had triggered the job before: it is the same execution, and nothing new runs.
        </Notice>
      )}
      {data.error !== null && <Notice tone="bad">{data.error.message}</Notice>}
      <Actions>
        <Button onClick={onAgain}>Run another</Button>
        <Button onClick={onClose}>Close</Button>
        <Link to="/executions/$id" params={{ id: execution.id }} className={buttonClass({ look: "primary" })}>
          Open the execution
        </Link>
      </Actions>
    </div>
  );
}
