import { type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type BulkAnswer, PunctualApiError } from "punctual/client";
import { type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";
import { numberText } from "./counted.ts";
import { Actions, Dialog } from "./dialog.tsx";
import { Field, Input } from "./field.tsx";
import { errorText, Failure, Loading, Notice } from "./notice.tsx";
import { tell } from "./toast.tsx";

/** One action on many things. */
export interface CountedAction {
  title: string;
  /** What it means, whatever their number. */
  means?: string;
  /** What will happen, for so many. */
  about: (count: number) => ReactNode;
  /** What is said if it can be done with none. */
  nothing?: string;
  /** The button, for so many: "Retry 12". */
  verb: (count: number) => string;
  /** What was done: "12 will run again". */
  done: (count: number) => string;
  danger?: boolean;
  /** A reason may be given; this says who will read it. */
  reasonAbout?: string;
  /** If they are several, their number has to be typed. */
  typedNumber?: boolean;
  /** With `dryRun` it only counts; with `expected` it acts on so many or not at all. */
  call: (how: { dryRun: true } | { expected: number }, reason: string | null) => Promise<BulkAnswer>;
  /** What is read again afterwards. */
  changes: readonly QueryKey[];
  /** What one of them is called, where somebody knows them by name. */
  nameOf?: (id: string) => string;
}

/** Says how many it concerns before anything is done, and acts only if it is still that many. */
export function CountedActionDialog({
  action,
  onClose,
  onDone,
}: {
  action: CountedAction;
  onClose: () => void;
  /** It was done, be it only with some. */
  onDone?: () => void;
}) {
  const { title, means, done, call, changes } = action;
  const queries = useQueryClient();
  const id = useId();
  // Not read again by itself: a number that moves while one reads it cannot be agreed to.
  const count = useQuery({
    queryKey: ["dry run", id],
    queryFn: () => call({ dryRun: true }, null),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const act = useMutation({
    mutationFn: ({ expected, reason }: Agreement) => call({ expected }, reason),
    onSuccess: ({ changed, failed }) => {
      if (changed > 0) tell(done(changed));
      onDone?.();
      if (failed === 0) onClose();
    },
    onError: (error) => {
      if (isCountChanged(error)) void count.refetch();
    },
    onSettled: () => {
      for (const queryKey of changes) void queries.invalidateQueries({ queryKey });
    },
  });
  const answer = act.data !== undefined && act.data.failed > 0 ? act.data : null;
  return (
    <Dialog open onClose={onClose} title={title} about={answer === null ? means : undefined}>
      {count.isPending && <Loading rows={2} />}
      {count.isError && <Failure error={count.error} retry={() => void count.refetch()} />}
      {count.isSuccess && answer === null && (
        <Question
          action={action}
          count={count.data.matched}
          error={act.error}
          busy={act.isPending || count.isFetching}
          onAgree={act.mutate}
          onClose={onClose}
        />
      )}
      {answer !== null && <Failures action={action} answer={answer} onClose={onClose} />}
    </Dialog>
  );
}

interface Agreement {
  expected: number;
  reason: string | null;
}

function Question({
  action: { about, nothing, verb, danger = false, reasonAbout, typedNumber = false },
  count,
  error,
  busy,
  onAgree,
  onClose,
}: {
  action: CountedAction;
  count: number;
  error: Error | null;
  busy: boolean;
  onAgree: (agreement: Agreement) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const isTyped = typedNumber && count > 1;
  const isAgreed = !isTyped || typed.replace(/[\s,.]/g, "") === String(count);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAgreed && count > 0 && !busy) onAgree({ expected: count, reason: reason.trim() || null });
      }}
    >
      <div>{count === 0 ? (nothing ?? "There is nothing left that this could be done with.") : about(count)}</div>
      {reasonAbout !== undefined && count > 0 && (
        <Field label="Reason" about={reasonAbout}>
          {(wiring) => (
            <Input {...wiring} maxLength={1024} value={reason} onChange={({ target }) => setReason(target.value)} />
          )}
        </Field>
      )}
      {isTyped && (
        <Field label={`Type ${count} to agree`}>
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="numeric"
              className="!w-32"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
      )}
      {error !== null && (
        <Notice tone={isCountChanged(error) ? "warn" : "bad"} role="alert">
          {isCountChanged(error)
            ? "Meanwhile the number changed, and nothing was done. Look at the new one."
            : errorText(error)}
        </Notice>
      )}
      <Actions>
        {/* Not the button that acts, whatever Enter was meant for. */}
        <Button autoFocus onClick={onClose}>
          {count === 0 ? "Close" : "Leave it"}
        </Button>
        {count > 0 && (
          <Button type="submit" look={danger ? "danger" : "primary"} busy={busy} disabled={!isAgreed}>
            {verb(count)}
          </Button>
        )}
      </Actions>
    </form>
  );
}

/** What could not be done: each by its name where it has one, otherwise every reason once. */
function Failures({
  action: { done, nameOf },
  answer: { changed, failed, failures },
  onClose,
}: {
  action: CountedAction;
  answer: BulkAnswer;
  onClose: () => void;
}) {
  const lines = nameOf
    ? failures.map(({ id, message }) => `${nameOf(id)}: ${message}`)
    : [...new Set(failures.map(({ message }) => message))];
  const untold = failed - failures.length;
  return (
    <>
      <Notice tone="warn" role="alert">
        <p>
          {changed > 0 && `${done(changed)}. `}
          With {numberText(failed)} it could not be done.
        </p>
        {lines.length === 0 && <p>Somebody else dealt with them meanwhile, or their job is gone.</p>}
        <ul className="max-h-72 list-disc overflow-y-auto pl-4">
          {lines.map((line) => (
            <li key={line} className="[overflow-wrap:anywhere]">
              {line}
            </li>
          ))}
        </ul>
        {nameOf && lines.length > 0 && untold > 0 && <p>And {numberText(untold)} more.</p>}
      </Notice>
      <Actions>
        <Button onClick={onClose}>Close</Button>
      </Actions>
    </>
  );
}

function isCountChanged(error: unknown): boolean {
  return error instanceof PunctualApiError && error.code === "count_changed";
}
