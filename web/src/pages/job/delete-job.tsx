import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useState } from "react";
import { readAgain } from "../../api/queries.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";

/** Not by a slip: the name has to be written. */
export function DeleteJob({ job, open, onClose }: { job: Job; open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={`Delete ${job.name}?`}>
      <DeleteForm job={job} onClose={onClose} />
    </Dialog>
  );
}

function DeleteForm({ job, onClose }: { job: Job; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [written, setWritten] = useState("");
  const remove = useMutation({
    mutationFn: () => client.jobs.delete(job.id),
    onSuccess: async () => {
      tell(`${job.name} is deleted`);
      await navigate({ to: "/jobs" });
      readAgain(queries, "jobs");
    },
  });
  const isRight = written.trim() === job.name;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isRight) remove.mutate();
      }}
    >
      <p>
        It will not run again, and what was planned is skipped. What runs now is not stopped. Its executions and
        versions can still be read; a deleted job cannot be brought back, only made anew.
      </p>
      <Field label="Its name, to be sure" about={<span className="[overflow-wrap:anywhere]">Write {job.name}</span>}>
        {(wiring) => <Input {...wiring} value={written} onChange={(event) => setWritten(event.target.value)} />}
      </Field>
      {remove.error && (
        <Notice tone="bad" role="alert">
          {errorText(remove.error)}
        </Notice>
      )}
      <Actions>
        <Button onClick={onClose}>Keep it</Button>
        <Button type="submit" look="danger" disabled={!isRight} busy={remove.isPending}>
          Delete the job
        </Button>
      </Actions>
    </form>
  );
}
