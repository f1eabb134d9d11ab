import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";

const MODULE = fileURLToPath(new URL("./stop-signals.ts", import.meta.url));

/** Two workers in one process: one has stopped at once, the other only when it is told to. */
const PROGRAM = `
import { stopOnSignals } from ${JSON.stringify(MODULE)};
const forgetQuick = stopOnSignals(async () => { console.log("quick"); forgetQuick(); });
stopOnSignals(() => new Promise((resolve) => process.stdin.once("data", () => { console.log("slow"); resolve(); })));
process.stdin.resume();
console.log("ready");
`;

async function begin() {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", PROGRAM]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  const said: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => said.push(...text.trim().split("\n")));
  const says = (text: string) => vi.waitUntil(() => said.includes(text), { timeout: 20_000, interval: 10 });
  await says("ready");
  child.kill("SIGTERM");
  await says("quick");
  return { child, said, ended };
}

test("a signal stops all workers of the process, which ends when the last of them has stopped", async () => {
  const { child, said, ended } = await begin();
  child.stdin.write("stop\n");
  await ended;
  expect(said).toEqual(["ready", "quick", "slow"]);
  expect(child.exitCode).toBe(0);
});

test("a second signal ends the process at once, although one of them has stopped by then", async () => {
  const { child, said, ended } = await begin();
  child.kill("SIGINT");
  await ended;
  expect(said).toEqual(["ready", "quick"]);
  expect(child.exitCode).toBe(130);
});
