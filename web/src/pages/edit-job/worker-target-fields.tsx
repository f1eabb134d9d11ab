import { useQuery } from "@tanstack/react-query";
import type { HandlerView } from "punctual/client";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { useField } from "./draft-context.tsx";
import { TextField } from "./draft-fields.tsx";
import { PayloadField } from "./payload-field.tsx";

/** A function in a process of one's own, which asks for its work. */
export function WorkerTargetFields() {
  const client = useClient();
  const { written } = useField("target.handler");
  const { data } = useQuery(reads.handlers(client));
  return (
    <>
      <TextField
        path="target.handler"
        label="Handler"
        placeholder="send-report"
        suggestions={data?.items.map(({ name }) => name) ?? []}
        about={data === undefined ? undefined : offered(String(written ?? ""), data.items)}
        className="max-w-sm"
        mono
        keepEmpty
      />
      <PayloadField />
    </>
  );
}

function offered(name: string, handlers: readonly HandlerView[]): string {
  if (name === "") {
    const served = handlers.filter(({ workers }) => workers > 0).length;
    return served === 0
      ? "No worker is connected yet. The name can be written all the same; the job waits for one."
      : `Workers offer ${served} ${served === 1 ? "handler" : "handlers"} now.`;
  }
  const workers = handlers.find((each) => each.name === name)?.workers ?? 0;
  if (workers === 0) return "No worker offers it now: executions would wait for one.";
  return workers === 1 ? "One worker offers it." : `${workers} workers offer it.`;
}
