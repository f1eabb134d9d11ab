import { DURATION_MAX_MS, parseDuration } from "../contract/duration.ts";
import { PunctualError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { WrittenTrigger } from "../contract/trigger.ts";

/** A moment that has just passed is now; one that passed long ago is a mistake. */
const PAST_MAX_MS = 60_000;
const PAYLOAD_BYTES_MAX = 256 * 1024;

/** As the store takes it. */
export function triggerRequest(job: string, written: WrittenTrigger) {
  return {
    job,
    ...("payload" in written ? { payload: written.payload as Json } : {}),
    ...(written.runAt ? { runAt: written.runAt } : {}),
    ...(written.delay ? { delayMs: parseDuration(written.delay) } : {}),
    ...(written.priority === undefined ? {} : { priority: written.priority }),
    ...(written.key === undefined ? {} : { key: written.key }),
    ...(written.overlap === undefined ? {} : { overlap: written.overlap }),
  };
}

/** What only the database's clock can tell, and the size of each payload. `path` says where in the body a trigger stands. */
export async function checkTriggers(
  clock: { now(): Promise<Date> },
  triggers: WrittenTrigger[],
  path: (index: number) => string,
): Promise<void> {
  const now = triggers.some((trigger) => trigger.runAt) ? (await clock.now()).getTime() : 0;
  for (const [index, { runAt, payload }] of triggers.entries()) {
    if (payload !== undefined) checkPayloadSize(payload, `${path(index)}payload`);
    const value = runAt?.toISOString();
    const refuse = (code: string, message: string) =>
      PunctualError.validation([{ path: `${path(index)}runAt`, code, message, value }]);
    if (runAt && runAt.getTime() < now - PAST_MAX_MS)
      throw refuse("in_the_past", `is in the past: it is ${new Date(now).toISOString()} now`);
    if (runAt && runAt.getTime() > now + DURATION_MAX_MS) throw refuse("out_of_range", "is more than ten years ahead");
  }
}

export function checkPayloadSize(payload: Json, path: string): void {
  const size = Buffer.byteLength(JSON.stringify(payload));
  if (size <= PAYLOAD_BYTES_MAX) return;
  const message = `has ${size} bytes; a payload may have ${PAYLOAD_BYTES_MAX}`;
  throw new PunctualError("body_too_large", `${path}: ${message}`, { details: [{ path, code: "too_large", message }] });
}
