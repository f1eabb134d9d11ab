import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Execution } from "punctual/client";
import { useState } from "react";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";

export function CancelDialog({ execution, onClose }: { execution: Execution; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const cancel = useMutation({
    mutationFn: () => client.executions.cancel(execution.id, reason.trim() === "" ? {} : { reason: reason.trim() }),
    onSuccess: () => {
      readAgain(queries, "executions", "execution", "stats", "job");
      tell("Cancelled");
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Cancel this execution"
      about={
        execution.state === "running"
          ? "It is told to stop. What it has done by then stays done."
          : "It will not run, and cannot be put back; it can be run again."
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          cancel.mutate();
        }}
      >
        <Field label="Reason" about="Optional. It stands with the execution, for whoever asks later.">
          {(wiring) => (
            <Input
              {...wiring}
              autoFocus
              maxLength={1024}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        {cancel.isError && (
          <div className="mt-3">
            <Notice tone="bad" role="alert">
              {errorText(cancel.error)}
            </Notice>
          </div>
        )}
        <Actions>
          <Button onClick={onClose}>Leave it</Button>
          <Button type="submit" look="danger" busy={cancel.isPending}>
            Cancel the execution
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
