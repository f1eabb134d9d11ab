import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Execution, Job, Json } from "punctual/client";
import { useState } from "react";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, Select } from "../../ui/field.tsx";
import { JsonEditor } from "../../ui/json-editor.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";

/** Runs an ended execution again, as a new one; one between two attempts makes its next one now. */
export function RetryDialog({
  execution,
  job,
  onClose,
}: {
  execution: Execution;
  /** To say which versions there are; the dialog works without it. */
  job: Job | undefined;
  onClose: () => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [version, setVersion] = useState<"current" | "original">("current");
  const [edits, setEdits] = useState(false);
  const [payload, setPayload] = useState(() => JSON.stringify(execution.payload ?? null, null, 2));
  const isWaiting = execution.state === "retrying";
  const parsed = edits ? readJson(payload) : undefined;
  const retry = useMutation({
    mutationFn: () =>
      client.executions.retry(execution.id, {
        ...(isWaiting ? {} : { version }),
        ...(parsed?.ok ? { payload: parsed.value } : {}),
      }),
    onSuccess: (made) => {
      readAgain(queries, "executions", "execution", "stats", "dead-letters");
      onClose();
      if (made.id === execution.id) return tell("The next attempt is due now");
      tell("It runs again, as the execution you see now");
      void navigate({ to: "/executions/$id", params: { id: made.id } });
    },
  });
  return (
    <Dialog
      open
      wide={edits}
      onClose={onClose}
      title={isWaiting ? "Try again now" : "Run again"}
      about={
        isWaiting
          ? "The next attempt starts at once instead of after its wait."
          : "It becomes a new execution of the job; this one stays as it is."
      }
    >
      <div className="flex flex-col gap-4">
        {!isWaiting && job?.version !== execution.jobVersion && (
          <Field label="Version of the job">
            {(wiring) => (
              <Select
                {...wiring}
                value={version}
                onChange={setVersion}
                options={[
                  ["current", job ? `Current: version ${job.version}` : "Current"],
                  ["original", `As it was: version ${execution.jobVersion}`],
                ]}
              />
            )}
          </Field>
        )}
        {!isWaiting && (
          <Checkbox label="With another payload" checked={edits} onChange={(event) => setEdits(event.target.checked)} />
        )}
        {edits && <JsonEditor label="Payload" value={payload} onChange={setPayload} error={null} />}
        {retry.isError && (
          <Notice tone="bad" role="alert">
            {errorText(retry.error)}
          </Notice>
        )}
      </div>
      <Actions>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          look="primary"
          busy={retry.isPending}
          disabled={parsed?.ok === false}
          title={parsed?.ok === false ? "The payload is no JSON yet" : undefined}
          onClick={() => retry.mutate()}
        >
          {isWaiting ? "Try again now" : "Run again"}
        </Button>
      </Actions>
    </Dialog>
  );
}

function readJson(text: string): { ok: true; value: Json } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    return { ok: false };
  }
}
