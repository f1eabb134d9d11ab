import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type BulkAnswer, PunctualApiError } from "punctual/client";
import { useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { errorText, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";
import { type BulkAction, bulkTarget, type Choice, leftOut } from "./bulk-choice.ts";

export interface BulkPlan {
  action: BulkAction;
  choice: Choice;
}

/** A large project takes a while, and half of it done is worse than a long wait. */
const PATIENCE_MS = 600_000;

const WORDS: Record<BulkAction, { verb: string; done: string; means: string }> = {
  pause: { verb: "Pause", done: "paused", means: "Nothing runs by schedule until it is resumed." },
  resume: { verb: "Resume", done: "resumed", means: "Schedules go on from their next instant." },
  trigger: { verb: "Run", done: "run", means: "Each job runs once, now, with its own payload." },
  delete: { verb: "Delete", done: "deleted", means: "Nothing runs any more. The executions so far are kept." },
};

/** Says how many jobs it is about before anything is done, and does it only if it still is that many. */
export function BulkDialog({ plan, onClose, onDone }: { plan: BulkPlan; onClose: () => void; onDone: () => void }) {
  const [answer, setAnswer] = useState<BulkAnswer | null>(null);
  const { verb, means } = WORDS[plan.action];
  const only = plan.choice.kind === "rows" && plan.choice.jobs.length === 1 ? plan.choice.jobs[0] : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      title={only ? `${verb} ${only.name}?` : `${verb} jobs`}
      about={answer === null ? means : undefined}
    >
      {answer === null ? (
        <Ask
          plan={plan}
          onClose={onClose}
          onAnswer={(next) => {
            onDone();
            if (next.failed === 0) onClose();
            else setAnswer(next);
          }}
        />
      ) : (
        <Outcome plan={plan} answer={answer} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Ask({
  plan: { action, choice },
  onClose,
  onAnswer,
}: {
  plan: BulkPlan;
  onClose: () => void;
  onAnswer: (answer: BulkAnswer) => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const target = bulkTarget(action, choice);
  const { verb, done } = WORDS[action];
  // Not read again by itself: a number that moves while one reads it cannot be agreed to.
  const count = useQuery({
    queryKey: ["bulk count", action, target],
    queryFn: async ({ signal }) =>
      target === null ? 0 : (await client.bulk.jobs({ action, ...target, dryRun: true }, { signal })).matched,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const act = useMutation({
    mutationFn: (expected: number) =>
      client.bulk.jobs(
        { action, ...target, expected, reason: reason.trim() === "" ? null : reason.trim() },
        { timeoutMs: PATIENCE_MS },
      ),
    onSuccess: (answer) => {
      if (answer.changed > 0) tell(`${jobsText(answer.changed)} ${done}`);
      onAnswer(answer);
    },
    onError: (error) => {
      if (error instanceof PunctualApiError && error.code === "count_changed") void count.refetch();
    },
    onSettled: () => {
      for (const kind of ["jobs", "job", "executions", "timeline", "stats"])
        void queries.invalidateQueries({ queryKey: [kind] });
    },
  });
  if (count.isPending) return <Loading rows={2} />;
  if (count.isError) return <Failure error={count.error} retry={() => void count.refetch()} />;
  const number = count.data;
  const left = leftOut(action, choice);
  const agreed = action !== "delete" || number === 1 || typed.replace(/[\s,.]/g, "") === String(number);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (agreed && number > 0) act.mutate(number);
      }}
    >
      <p>
        {number === 0 ? `There is none among them that can be ${done}.` : countSentence(action, choice, number)}
        {left > 0 && number > 0 && (left === 1 ? " One other stays as it is." : ` ${left} others stay as they are.`)}
      </p>
      {action === "pause" && number > 0 && (
        <Field label="Reason" about="Whoever finds them paused reads it.">
          {(wiring) => (
            <Input {...wiring} maxLength={1024} value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
      )}
      {action === "delete" && number > 1 && (
        <Field label={`Type ${number} to agree`}>
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="numeric"
              className="!w-32"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
      {act.isError && (
        <Notice tone="bad" role="alert">
          {errorText(act.error)}
        </Notice>
      )}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        {number > 0 && (
          <Button
            type="submit"
            look={action === "delete" ? "danger" : "primary"}
            busy={act.isPending}
            disabled={!agreed}
          >
            {verb} {jobsText(number)}
          </Button>
        )}
      </Actions>
    </form>
  );
}

function countSentence(action: BulkAction, choice: Choice, number: number): string {
  const { done } = WORDS[action];
  const which = choice.kind === "matching" ? " that match the filter" : "";
  return `${jobsText(number)}${which} will be ${done}.`;
}

function jobsText(number: number): string {
  return number === 1 ? "1 job" : `${number.toLocaleString("en-GB")} jobs`;
}

/** What could not be done, each with its reason. */
function Outcome({
  plan: { action, choice },
  answer,
  onClose,
}: {
  plan: BulkPlan;
  answer: BulkAnswer;
  onClose: () => void;
}) {
  const names = new Map(choice.kind === "rows" ? choice.jobs.map(({ id, name }) => [id, name]) : []);
  const { done } = WORDS[action];
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn" role="status">
        {jobsText(answer.changed)} {done}; {jobsText(answer.failed)} could not be {done}.
      </Notice>
      <ul className="flex max-h-72 flex-col gap-2 overflow-y-auto">
        {answer.failures.map(({ id, message }) => (
          <li key={id} className="[overflow-wrap:anywhere]">
            <span className="font-medium">{names.get(id) ?? id}</span>: {message}
          </li>
        ))}
      </ul>
      {answer.failed > answer.failures.length && (
        <p className="text-muted">And {answer.failed - answer.failures.length} more.</p>
      )}
      <Actions>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </Actions>
    </div>
  );
}
