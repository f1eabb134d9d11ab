import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Job } from "punctual/client";
import { useState } from "react";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Field, Input, Select, TextArea } from "../../ui/field.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";
import { instantAt, wallText } from "../../ui/wall-time.ts";
import { useZone } from "../../ui/zone.ts";

const HOUR_MS = 3_600_000;
const ENDS = [
  ["never", "When somebody resumes it"],
  ["1", "In an hour"],
  ["4", "In 4 hours"],
  ["24", "In a day"],
  ["at", "At a time"],
] as const;
type End = (typeof ENDS)[number][0];

export function PauseJob({ job, open, onClose }: { job: Job; open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Pause ${job.name}`}
      about="Its instants are skipped until it is resumed. What runs now goes on, and it can still be run by hand."
    >
      <PauseForm job={job} onClose={onClose} />
    </Dialog>
  );
}

function PauseForm({ job, onClose }: { job: Job; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const zone = useZone();
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState<End>("never");
  const [at, setAt] = useState(() => wallText(new Date(Date.now() + 12 * HOUR_MS), zone));
  const until = untilOf(end, at, zone);
  const pause = useMutation({
    mutationFn: () => client.jobs.pause(job.id, { reason: reason.trim() || null, until }),
    onSuccess: () => {
      tell(`${job.name} is paused`);
      readAgain(queries, "job", "jobs");
      onClose();
    },
  });
  const isWrong = end === "at" && until === null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) pause.mutate();
      }}
    >
      <Field label="Why" about="For whoever finds it paused.">
        {(wiring) => (
          <TextArea
            {...wiring}
            value={reason}
            maxLength={1024}
            rows={2}
            placeholder="The API is down, INC-1234"
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <Field label="It ends">{(wiring) => <Select {...wiring} options={ENDS} value={end} onChange={setEnd} />}</Field>
      {end === "at" && (
        <Field label={`At, in ${zone}`} error={isWrong ? "Choose a date and a time." : null}>
          {(wiring) => (
            <Input {...wiring} type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
          )}
        </Field>
      )}
      {pause.error && (
        <Notice tone="bad" role="alert">
          {errorText(pause.error)}
        </Notice>
      )}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={pause.isPending} disabled={isWrong}>
          Pause
        </Button>
      </Actions>
    </form>
  );
}

function untilOf(end: End, at: string, zone: string): Date | null {
  if (end === "never") return null;
  return end === "at" ? instantAt(at, zone) : new Date(Date.now() + Number(end) * HOUR_MS);
}
