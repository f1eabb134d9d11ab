// Punctual inside a program: jobs are declared in the code, and functions do their work. No server, no second process.
//
//   node --import tsx examples/library.ts                             (with a database of its own, in ./.punctual)
//   DATABASE_URL=postgres://… node --import tsx examples/library.ts   (several of them share the work)

import { setTimeout as sleep } from "node:timers/promises";
import { NoRetry, Punctual } from "punctual";
import { z } from "zod";

const p = new Punctual({ app: "library-example", release: "1", database: process.env.DATABASE_URL ?? "embedded" });

// By the clock: every night at three, wherever the program runs.
p.job("cleanup", { schedule: { cron: "0 3 * * *", timezone: "Europe/Berlin" } }, async (run) => {
  run.log.info("cleaning up", { scheduledAt: run.scheduledAt });
});

// When asked for: with a payload of a known shape, five at once, tried again up to five times.
const receipt = p.job(
  "send-receipt",
  {
    payloadSchema: z.object({ to: z.string(), total: z.number() }),
    concurrency: 5,
    retry: { maxAttempts: 5, initialDelay: "10ms" },
  },
  async (run) => {
    const { to, total } = run.payload;
    if (!to.includes("@")) throw new NoRetry(`"${to}" is no address, and will not become one`);
    if (run.attempt === 1) throw new Error("the mail server is busy");
    await run.progress(0.5, "written");
    await sleep(10, undefined, { signal: run.signal });
    console.log(`sent a receipt over ${total} to ${to}, at attempt ${run.attempt}`);
    return { sent: true };
  },
);

p.on("execution.failed", ({ job, data }) => console.log(`${job} failed: ${data.reason?.message}`));

await p.start();
console.log("started; Ctrl-C ends it");

await receipt.trigger({ to: "ada@example.com", total: 12.5 }, { key: "order-17" });
const again = await receipt.trigger({ to: "ada@example.com", total: 12.5 }, { key: "order-17" });
console.log(`the same order again: ${again.deduplicated ? "known, and not sent twice" : "sent twice!"}`);
await receipt.trigger({ to: "nobody", total: 1 });

// Jobs may come and go while the program runs; they use the functions that the code declares.
await p.schedule("cleanup-archive", { job: "cleanup", schedule: { every: "6h" }, payload: { folder: "archive" } });
for (const { name, nextFireAt } of await p.list()) console.log(`${name}: ${nextFireAt ?? "when triggered"}`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    // What runs may finish; what does not in ten seconds runs again elsewhere.
    await p.stop();
    console.log("stopped");
  });
