import { z } from "zod";
import { type CallbackReport, callbackInput } from "../../contract/callback.ts";
import { PunctualError } from "../../contract/errors.ts";
import { parseCallbackToken } from "../../core/callback-token.ts";
import type { ApiDeps } from "../deps.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";

const params = z.object({ token: z.string() });

export function callbackRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "POST",
      path: `${PREFIX}/callbacks/:token`,
      group: "Executions",
      summary: "Report the result of a call that was answered with 202",
      params,
      body: callbackInput,
      responses: {
        204: { description: "It is recorded, or was before." },
        409: { description: "The attempt is over." },
      },
      handler: (call) => report(deps, call),
    }),
  ];
}

async function report(
  deps: ApiDeps,
  { params, body, wake }: Call<{ token: string }, unknown, CallbackReport>,
): Promise<Answer> {
  const meant = parseCallbackToken(params.token);
  if (meant === null) throw new PunctualError("not_found", "there is no such callback");
  const outcome = await deps.completeCallback(meant.executionId, meant.claim, body);
  if (outcome === "stale")
    throw new PunctualError("stale_callback", "the attempt that this callback belongs to is over");
  wake();
  return { status: 204 };
}
