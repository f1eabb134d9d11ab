import type { HandedOut } from "../../contract/worker.ts";
import type { RunFacts } from "./run-view.ts";

/** Of an execution as the server hands it out. */
export function factsOf(execution: HandedOut): RunFacts {
  const { id, attempt, job, handler, idempotencyKey, traceparent, trigger } = execution;
  const scheduledAt = new Date(schedules.msOf(execution.scheduledAt));
  const deadline = new Date(deadlines.msOf(execution.deadline));
  return { id, attempt, job, handler, scheduledAt, deadline, idempotencyKey, traceparent, trigger };
}

/** What is handed out together has the same few times; reading one of them anew takes longer than all the rest. */
class Instants {
  #text = "";
  #ms = Number.NaN;

  msOf(text: string): number {
    if (text !== this.#text) {
      this.#text = text;
      this.#ms = Date.parse(text);
    }
    return this.#ms;
  }
}

const schedules = new Instants();
const deadlines = new Instants();
