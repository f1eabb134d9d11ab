// A worker: a process of your own that does the work of jobs with `"target": { "type": "worker", "handler": "send-report" }`.
//
//   export PUNCTUAL_URL=http://127.0.0.1:7420 PUNCTUAL_API_KEY=…    (a key with the scope "work")
//   node --import tsx examples/worker.ts
//
// Something to do:
//
//   curl "$PUNCTUAL_URL/api/v1/jobs" -H "authorization: Bearer $KEY" -H "content-type: application/json" \
//     -d '{"name":"report","target":{"type":"worker","handler":"send-report"}}'
//   curl "$PUNCTUAL_URL/api/v1/jobs/report/trigger" -H "authorization: Bearer $KEY" -H "content-type: application/json" \
//     -d '{"payload":{"to":"ada@example.com","pages":3}}'

import { setTimeout as sleep } from "node:timers/promises";
import { NoRetry, RetryAfter, Worker } from "punctual/client";
import { z } from "zod";

const worker = new Worker({ name: "reports", signals: true });

worker.handle(
  "send-report",
  {
    concurrency: 10,
    payload: z.object({ to: z.email(), pages: z.int().min(1).max(100).default(1) }),
    result: z.object({ sent: z.int() }),
  },
  async (run) => {
    const { to, pages } = run.payload;
    run.log.info("writing the report", { to, pages, attempt: run.attempt });
    for (let page = 1; page <= pages; page += 1) {
      // Aborts when the execution is cancelled, out of time, or the worker is stopped.
      await sleep(50, undefined, { signal: run.signal });
      await run.progress(page / pages, `page ${page} of ${pages}`);
    }
    if (to.endsWith("@nowhere.example")) throw new NoRetry(`${to} does not exist`);
    if (to.endsWith("@busy.example") && run.attempt === 1) throw new RetryAfter("1s", { message: `${to} is busy` });
    run.log.info("sent", { messageId: run.idempotencyKey });
    return { sent: pages };
  },
);

await worker.start();
console.log(`worker ${worker.id} is waiting for work`);
await worker.stopped;
