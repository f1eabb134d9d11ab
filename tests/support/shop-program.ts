// A small web shop with Punctual in it, as its author would write it: orders come in over HTTP, and their work is a job. It
// appends a line to its file when a handler begins and when it ends, so that no handling goes unseen.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { Punctual } from "../../src/library/index.ts";
import { type Handling, type ShopOptions, TICKS } from "./shop-facts.ts";

const { database, name, lease, file }: ShopOptions = JSON.parse(process.argv[2]!);
const lines = openSync(file, "a");

const punctual = new Punctual({ app: "shop", release: "1", database, lease, instance: name });

function watched(workMs: number) {
  return async (run: { id: string; attempt: number; job: { name: string }; scheduledAt: Date }) => {
    const about = { shop: name, job: run.job.name, execution: run.id, attempt: run.attempt };
    const say = (what: Handling["what"]) =>
      writeSync(lines, `${JSON.stringify({ ...about, what, scheduledAt: run.scheduledAt.toISOString() })}\n`);
    say("begins");
    await sleep(workMs);
    say("ends");
    return { by: name };
  };
}

const retry = { initialDelay: "100ms", maxAttempts: 10 };
// However busy the machine is: late is late, and not missed.
const misfire = { grace: "5m" };
for (const tick of TICKS)
  punctual.job(tick, { schedule: { every: "1s" }, overlap: "allow", misfire, retry }, watched(100));
const order = punctual.job("order", { concurrency: 5, retry }, watched(150));

const app = Fastify();
app.post("/orders/:id", async (request) => {
  const { id } = request.params as { id: string };
  return await order.trigger({ order: id }, { key: id });
});

await punctual.start();
process.once("SIGTERM", async () => {
  await app.close();
  await punctual.stop();
});
// A shop of a run that was killed must not go on for ever: it ends when the pipe from its test does.
process.stdin.on("end", () => process.kill(process.pid, "SIGKILL")).resume();
(process.stdin as NodeJS.ReadStream & { unref(): void }).unref();
process.stdout.write(`${await app.listen({ port: 0, host: "127.0.0.1" })}\n`);
