import { useMutation } from "@tanstack/react-query";
import type { Attempt, HttpTarget, Json, TargetTestInput } from "punctual/client";
import { useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { Actions, Dialog } from "../../ui/dialog.tsx";
import { durationText } from "../../ui/duration.ts";
import { JsonEditor } from "../../ui/json-editor.tsx";
import { errorText, Notice } from "../../ui/notice.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { emptyText, readJson, writeJson } from "./json-text.ts";

interface TestCallProps {
  target: HttpTarget;
  payload: Json;
}

/** One call to try a target out. */
export function TestCall({ open, onClose, ...props }: TestCallProps & { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      wide
      open={open}
      onClose={onClose}
      title="Send a test call"
      about="The call is really made, once. It is outside the ledger: it stands in no list and in no figure, and changes nothing about the job."
    >
      <TestForm {...props} onClose={onClose} />
    </Dialog>
  );
}

function TestForm({ target, payload, onClose }: TestCallProps & { onClose: () => void }) {
  const client = useClient();
  const [targetText, setTargetText] = useState(() => writeJson(target));
  const [payloadText, setPayloadText] = useState(() => writeJson(payload));
  const readTarget = readJson(targetText);
  const readPayload = readJson(payloadText);
  const test = useMutation({
    // Not again by itself: whoever tries a call out wants to know what one call does.
    mutationFn: (input: TargetTestInput) => client.targets.test(input, { retries: 0, timeoutMs: 120_000 }),
  });
  const isWrong = readTarget === null || readPayload === null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        // Whether it is a target, the server says, and which field is wrong.
        if (!isWrong) test.mutate({ target: readTarget.value as unknown as HttpTarget, payload: readPayload.value });
      }}
    >
      <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
        <JsonEditor label="Target" value={targetText} onChange={setTargetText} error={emptyText(targetText)} />
        <JsonEditor label="Payload" value={payloadText} onChange={setPayloadText} error={emptyText(payloadText)} />
      </div>
      <div role="status" className="empty:hidden">
        {test.data !== undefined && !test.isPending && <Outcome attempt={test.data} />}
      </div>
      {test.error && (
        <Notice tone="bad" role="alert">
          {errorText(test.error)}
        </Notice>
      )}
      <Actions>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" look="primary" busy={test.isPending} disabled={isWrong}>
          {test.isPending ? "Calling…" : test.data === undefined ? "Send" : "Send again"}
        </Button>
      </Actions>
    </form>
  );
}

function Outcome({ attempt: { outcome, request, response, timings, error } }: { attempt: Attempt }) {
  const good = outcome === "succeeded";
  return (
    <section aria-label="How the call went" className="border-line flex flex-col gap-3 rounded-md border p-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={good ? "ok" : "bad"} text={(outcome ?? "failed").replace("_", " ")} />
        {response !== null && <span className="font-medium">Status {response.status}</span>}
        {timings !== null && <span className="text-muted">in {durationText(timings.totalMs)}</span>}
      </div>
      {error !== null && <Notice tone="bad">{error.message}</Notice>}
      <Facts
        items={[
          ...(request === null ? [] : [["Called", `${request.method} ${request.url}`] as const]),
          ...(timings === null ? [] : [["Time", timingsInWords(timings)] as const]),
        ]}
      />
      {response !== null && (
        <Code
          wrap
          label="the response"
          text={[
            ...Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`),
            "",
            `${response.body ?? ""}${response.truncated ? "\n… cut off here" : ""}`,
          ].join("\n")}
        />
      )}
    </section>
  );
}

function timingsInWords({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: NonNullable<Attempt["timings"]>): string {
  return [
    `name ${durationText(dnsMs)}`,
    `connection ${durationText(connectMs)}`,
    `TLS ${durationText(tlsMs)}`,
    `first byte ${durationText(firstByteMs)}`,
    `whole ${durationText(totalMs)}`,
  ].join(" · ");
}
