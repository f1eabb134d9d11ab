// The programs in examples/ that have the library in them, run as they are with the package as it is built.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTestDatabase } from "../../support/database.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

async function begin(example: string) {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  const child = spawn(process.execPath, ["--import", "tsx", `examples/${example}`], { cwd: ROOT, env });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const says = async (...texts: string[]) => {
    const all = () => texts.every((text) => said.includes(text));
    await vi.waitUntil(() => all() || child.exitCode !== null, { timeout: 45_000, interval: 50 });
    for (const text of texts) expect(said).toContain(text);
  };
  return { child, ended, says };
}

test("examples/library.ts runs its functions, refuses the same order twice, and stops on SIGTERM", async () => {
  const { child, ended, says } = await begin("library.ts");
  await says(
    "started; Ctrl-C ends it",
    "the same order again: known, and not sent twice",
    "sent a receipt over 12.5 to ada@example.com, at attempt 2",
    'send-receipt failed: "nobody" is no address, and will not become one',
    "cleanup-archive: 2",
    "send-receipt: when triggered",
  );
  child.kill("SIGTERM");
  await ended;
  expect(child.exitCode).toBe(0);
  await says("stopped");
});

test("examples/outbox.ts mails the order that was committed and not the one that was rolled back", async () => {
  const { child, ended, says } = await begin("outbox.ts");
  await ended;
  await says("order-1: rolled back, because the card was declined", "order-2: placed");
  await says("orders: order-2\n", "mailed: order-2\n");
  expect(child.exitCode).toBe(0);
});
