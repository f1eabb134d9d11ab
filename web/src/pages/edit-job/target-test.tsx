import { useMutation } from "@tanstack/react-query";
import { Check, Send, X } from "lucide-react";
import type { Attempt } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { durationText } from "../../ui/duration.ts";
import { errorText, Notice } from "../../ui/notice.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { useDraft } from "./draft-context.tsx";
import { sameJson } from "./job-draft.ts";

/** Calls the target as it stands in the form, once, and shows what came back. Nothing of it is in the ledger. */
export function TargetTest() {
  const client = useClient();
  const { draft } = useDraft();
  const asked = { target: draft.target, payload: draft.payload ?? {} };
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (input: typeof asked) => client.targets.test(input as never),
  });
  const outdated = variables !== undefined && !sameJson(variables as never, asked as never);
  return (
    <div className="border-line flex flex-col gap-3 border-t pt-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button icon={<Send aria-hidden className="size-4" />} busy={isPending} onClick={() => mutate(asked)}>
          Send a test call
        </Button>
        <span className="text-muted text-xs">
          It really calls the target, with the payload above, and is not recorded.
        </span>
      </div>
      <div aria-live="polite" className="flex min-w-0 flex-col gap-3 empty:hidden">
        {error !== null && !isPending && <Notice tone="bad">{errorText(error)}</Notice>}
        {data !== undefined && !isPending && <Answer attempt={data} outdated={outdated} />}
      </div>
    </div>
  );
}

function Answer({ attempt, outdated }: { attempt: Attempt; outdated: boolean }) {
  const { outcome, response, error, timings } = attempt;
  const good = outcome === "succeeded";
  const body = response?.body ?? "";
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge icon={good ? Check : X} tone={good ? "ok" : "bad"} text={good ? "it worked" : "it failed"} />
        {response !== null && <span>Status {response.status}</span>}
        {timings !== null && <span className="text-muted">in {durationText(timings.totalMs)}</span>}
        {outdated && <span className="text-muted">(before your last change)</span>}
      </p>
      {error !== null && <Notice tone="bad">{error.message}</Notice>}
      {body !== "" && <Code label="the answer" text={pretty(body)} wrap />}
      {response?.truncated && <p className="text-muted text-xs">Only the beginning of the answer was kept.</p>}
    </>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
