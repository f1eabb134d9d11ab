import type { z } from "zod";
import type { callbackInput } from "../contract/callback.ts";
import { type CallOptions, type ClientOptions, Transport } from "./transport.ts";

export type CallbackInput = z.input<typeof callbackInput>;

const PATH = /\/api\/v1\/callbacks\/([^/?#]+)$/;

/**
 * Reports the result of a call that was answered with 202, to the URL that the call named in `punctual-callback-url`. No
 * key is needed: the URL is its own authority. Reporting the same twice is fine; too late is a 409 `stale_callback`.
 */
export async function reportCallback(
  callbackUrl: string | null,
  report: CallbackInput,
  options: CallOptions & Pick<ClientOptions, "fetch"> = {},
): Promise<void> {
  if (callbackUrl === null)
    throw new TypeError('the call has no callback URL: only jobs with target.completion "callback" have one');
  const token = PATH.exec(callbackUrl)?.[1];
  if (token === undefined) throw new TypeError(`"${callbackUrl}" is no callback URL of a Punctual server`);
  const transport = new Transport({ url: callbackUrl.replace(PATH, ""), key: "", fetch: options.fetch });
  await transport.send({
    method: "POST",
    path: `/callbacks/${token}`,
    body: report,
    repeatable: true,
    options,
  });
}
