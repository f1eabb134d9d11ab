import { type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type BulkAnswer, PunctualApiError } from "punctual/client";
import { type ReactNode, useId } from "react";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";
import { errorText, Failure, Loading, Notice } from "./notice.tsx";
import { tell } from "./toast.tsx";

/** One action on many things. */
export interface CountedAction {
  title: string;
  /** What will happen, for so many. */
  about: (count: number) => ReactNode;
  /** The button, for so many: "Retry 12". */
  verb: (count: number) => string;
  /** What was done: "12 will run again". */
  done: (count: number) => string;
  danger?: boolean;
  /** With `dryRun` it only counts; with `expected` it acts on so many or not at all. */
  call: (how: { dryRun: true } | { expected: number }) => Promise<BulkAnswer>;
  /** What is read again afterwards. */
  changes: readonly QueryKey[];
}

const FAILURES_SHOWN = 5;

/** Says how many it concerns before anything is done, and acts only if it is still that many. */
export function CountedActionDialog({ action, onClose }: { action: CountedAction; onClose: () => void }) {
  const { title, about, verb, done, danger = false, call, changes } = action;
  const queries = useQueryClient();
  const id = useId();
  const count = useQuery({
    queryKey: ["dry run", id],
    queryFn: () => call({ dryRun: true }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const act = useMutation({
    mutationFn: (expected: number) => call({ expected }),
    onSuccess: ({ changed, failed }) => {
      for (const queryKey of changes) void queries.invalidateQueries({ queryKey });
      if (changed > 0) tell(done(changed));
      if (failed === 0) onClose();
    },
    onError: (error) => {
      if (isCountChanged(error)) void count.refetch();
    },
  });
  const matched = count.data?.matched ?? 0;
  const failed = act.data?.failed ?? 0;
  return (
    <Dialog open onClose={onClose} title={title}>
      {count.isPending && <Loading rows={2} />}
      {count.isError && <Failure error={count.error} retry={() => void count.refetch()} />}
      {count.isSuccess && failed === 0 && (
        <div className="flex flex-col gap-3">
          <div>{matched === 0 ? "There is nothing left that this could be done with." : about(matched)}</div>
          {act.isError && (
            <Notice tone={isCountChanged(act.error) ? "warn" : "bad"} role="alert">
              {isCountChanged(act.error)
                ? "Meanwhile the number changed, and nothing was done. Look at the new one."
                : errorText(act.error)}
            </Notice>
          )}
        </div>
      )}
      {act.data && failed > 0 && <Failures answer={act.data} />}
      <Actions>
        {/* Not the button that acts, whatever Enter was meant for. */}
        <Button autoFocus onClick={onClose}>
          {failed > 0 || matched === 0 ? "Close" : "Leave it"}
        </Button>
        {matched > 0 && failed === 0 && (
          <Button
            look={danger ? "danger" : "primary"}
            busy={act.isPending || count.isFetching}
            onClick={() => act.mutate(matched)}
          >
            {verb(matched)}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}

function Failures({ answer: { changed, failed, failures } }: { answer: BulkAnswer }) {
  const reasons = [...new Set(failures.map(({ message }) => message))];
  return (
    <Notice tone="warn" role="alert">
      <p>
        {changed.toLocaleString("en-GB")} done; with {failed.toLocaleString("en-GB")} it could not be.
      </p>
      {reasons.length === 0 && <p>Somebody else dealt with them meanwhile, or their job is gone.</p>}
      <ul className="list-disc pl-4">
        {reasons.slice(0, FAILURES_SHOWN).map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </Notice>
  );
}

function isCountChanged(error: unknown): boolean {
  return error instanceof PunctualApiError && error.code === "count_changed";
}
