// A server that jobs call. It believes only calls that Punctual signed, does each piece of work once, and for long work
// answers at once and reports the result later.
//
//   export WEBHOOK_SECRET=whsec_…      (GET /api/v1/signing-keys, then /api/v1/signing-keys/<id>/secret; several: with commas)
//   PORT=8080 node --import tsx examples/webhook-receiver.ts
//
// Something to call it:
//
//   curl "$PUNCTUAL_URL/api/v1/jobs" -H "authorization: Bearer $KEY" -H "content-type: application/json" \
//     -d '{"name":"report","schedule":{"every":"1m"},"target":{"type":"http","url":"http://127.0.0.1:8080/reports"}}'

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { reportCallback, verifyWebhook, type WebhookCall, WebhookVerificationError } from "punctual/client";

const keys = (process.env.WEBHOOK_SECRET ?? "").split(",");
if (keys[0] === "") throw new Error("WEBHOOK_SECRET is missing: set it to the secret of the signing key, whsec_…");

interface ReportOrder {
  pages: number;
}

/** By idempotency key: a call that comes again, because its answer was lost, gets the answer it had. Yours is a table. */
const done = new Map<string, { pages: number }>();

async function writeReport(call: WebhookCall<ReportOrder>): Promise<{ pages: number }> {
  const key = call.idempotencyKey ?? call.id;
  const before = done.get(key);
  if (before !== undefined) return before;
  await sleep(10 * call.payload.pages);
  const report = { pages: call.payload.pages };
  done.set(key, report);
  console.log(`${call.job} of ${call.scheduledAt?.toISOString()}, attempt ${call.attempt}: ${report.pages} pages`);
  return report;
}

const server = createServer(async (request, response) => {
  const answer = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  try {
    const call = await verifyWebhook<ReportOrder>({ headers: request.headers, body: await buffer(request), keys });
    if (call.callbackUrl === null) return answer(200, await writeReport(call));
    // The job has "completion": "callback": it is told later, also from another process.
    answer(202, { accepted: true });
    await reportCallback(call.callbackUrl, { outcome: "succeeded", result: await writeReport(call) });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return answer(error.status, { error: error.code });
    console.error(error);
    if (!response.headersSent) answer(500, { error: "it did not work; try again" });
  }
});

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => server.close());
