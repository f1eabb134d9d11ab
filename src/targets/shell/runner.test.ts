import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Json } from "../../contract/json.ts";
import { LOG_LINES_MAX } from "../../contract/log-limits.ts";
import type { AbortReason } from "../port.ts";
import { ShellTargetRunner } from "./runner.ts";
import { isAlive, makeCall, makeRunner, script } from "./testing/commands.ts";

const isRoot = process.getuid?.() === 0;
const never = new AbortController().signal;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "punctual-shell-"));
  chmodSync(path, 0o755);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("a command", () => {
  test("gets its arguments as they are, and the payload as JSON on its standard input", async () => {
    const call = makeCall(script('printf "%s|" "$@"; cat', "a b", "$HOME; rm -rf /", ""), {
      payload: { n: 1, t: "ü" },
    });
    const result = await makeRunner().attempt(call, never);
    expect(result).toMatchObject({
      outcome: "succeeded",
      error: null,
      doubtful: false,
      result: { exitCode: 0, signal: null },
    });
    expect(call.reporter.of("stdout")).toEqual(['a b|$HOME; rm -rf /||{"n":1,"t":"ü"}']);
  });

  test("sees what the operator allows of the node's environment, what its job sets, and what it is run for", async () => {
    const environment = { PATH: process.env.PATH, LANG: "C.UTF-8", PUNCTUAL_ENCRYPTION_KEYS: "not for commands" };
    const runner = makeRunner({ environment, allowed: ["PATH", "LANG", "TZ"] });
    const call = makeCall({ command: "env", env: { LANG: "de_DE.UTF-8", ORDER: "{{payload.order}}" } });
    await runner.attempt(call, never);
    expect(call.reporter.of("stdout").toSorted()).toEqual([
      "LANG=de_DE.UTF-8",
      "ORDER=17",
      `PATH=${process.env.PATH}`,
      "PUNCTUAL_ATTEMPT=2",
      "PUNCTUAL_EXECUTION_ID=0198f0c1-2345-8abc-8def-0123456789ab",
      "PUNCTUAL_JOB=nightly-report",
      "PUNCTUAL_SCHEDULED_AT=2026-12-01T01:00:00.000Z",
      "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ]);
  });

  test("runs in the folder its job names", async () => {
    const cwd = folder();
    const call = makeCall({ command: "pwd", cwd });
    await makeRunner().attempt(call, never);
    expect(call.reporter.of("stdout")).toEqual([cwd]);
  });

  test.runIf(isRoot)(
    "runs as the first of the allowed users, or as the one its job names, with that user's group alone",
    async () => {
      const runner = makeRunner({ users: ["nobody", "daemon"] });
      const identity = async (target: object) => {
        const call = makeCall({ ...script('id -un; id -G; echo "$USER $LOGNAME $HOME"'), ...target });
        expect(await runner.attempt(call, never)).toMatchObject({ outcome: "succeeded" });
        return call.reporter.of("stdout");
      };
      const [, , , group, , home] = passwd("nobody");
      expect(await identity({})).toEqual(["nobody", group, `nobody nobody ${home}`]);
      expect((await identity({ user: "daemon" }))[0]).toBe("daemon");
    },
  );

  test("has its output kept line by line, with the stream it came from", async () => {
    const call = makeCall(script('echo one; echo oops >&2; printf "a\\000b\\n"; printf end'));
    await makeRunner().attempt(call, never);
    expect(call.reporter.of("stdout")).toEqual(["one", "a\u0000b", "end"]);
    expect(call.reporter.lines.filter(({ stream }) => stream === "stderr")).toEqual([
      { level: "warn", message: "oops", stream: "stderr" },
    ]);
    expect(call.reporter.lines.find(({ message }) => message === "one")?.level).toBe("info");
  });

  test("waits when there is no room for its output", async () => {
    const call = makeCall(script("yes 0123456789 | head -c 2000000"));
    let room = () => {};
    let waits = 0;
    call.reporter.ready = async () => {
      if (call.reporter.lines.length % 1_000 !== 0) return;
      waits += 1;
      await new Promise<void>((resolve) => {
        room = resolve;
      });
    };
    const result = makeRunner().attempt(call, never);
    for (let times = 1; times <= 3; times += 1) {
      await vi.waitUntil(() => waits === times, { timeout: 20_000 });
      expect(call.reporter.lines).toHaveLength(times * 1_000);
      if (times === 3) call.reporter.ready = async () => {};
      room();
    }
    expect(await result).toMatchObject({ outcome: "succeeded" });
  });

  test("may say more than any log keeps: the rest is not looked at", async () => {
    const call = makeCall(script("yes 0123456789 | head -c 100000000; echo done >&2"));
    expect(await makeRunner().attempt(call, never)).toMatchObject({ outcome: "succeeded" });
    expect(call.reporter.lines).toHaveLength(LOG_LINES_MAX + 1);
  });

  test("may leave its input unread", async () => {
    const call = makeCall({ command: "true" }, { payload: "x".repeat(250_000) });
    expect(await makeRunner().attempt(call, never)).toMatchObject({ outcome: "succeeded" });
  });
});

describe("an argument that comes from a payload", () => {
  const attempt = async (args: string[], payload: Json, secrets: Record<string, string> = {}) => {
    const call = makeCall({ command: "printf", args: ["%s|", ...args] }, { payload });
    return { result: await makeRunner({ secrets }).attempt(call, never), said: call.reporter.of("stdout").join("") };
  };

  test.each([
    ["alone", ["{{payload.x}}"], { x: "--file=/etc/passwd" }],
    ["as a dash", ["{{payload.x}}"], { x: "-" }],
    ["as the end of all options", ["{{payload.x}}"], { x: "--" }],
    ["as a number", ["{{payload.x}}"], { x: -1 }],
    ["before other text", ["{{payload.x}}.sql"], { x: "-o" }],
    ["in two parts", ["{{payload.x}}{{payload.y}}"], { x: "", y: "-o" }],
    ["with a dash after nothing", ["{{payload.x}}-{{payload.y}}"], { x: "", y: "o" }],
    ["after a secret that is empty", ["{{secrets.NONE}}{{payload.x}}"], { x: "-o" }],
    ["after a -- of the payload's own", ["{{payload.x}}{{payload.x}}", "{{payload.y}}"], { x: "-", y: "-o" }],
    ["before the --", ["{{payload.x}}", "--"], { x: "-o" }],
  ])("is refused for good if it would be an option: %s", async (_, args, payload) => {
    const { result } = await attempt(args, payload, { NONE: "" });
    expect(result).toMatchObject({ outcome: "failed", error: { code: "template" }, cause: null, doubtful: false });
    expect(result.error!.message).toMatch(/^target\.args\.1 would begin with "-".*put the argument "--" before it/);
  });

  test.each([
    ["after --", ["--", "{{payload.x}}"], { x: "-o" }, "--|-o|"],
    ["behind a word of the job", ["--name={{payload.x}}", "x{{payload.x}}"], { x: "-o" }, "--name=-o|x-o|"],
    ["with a dash further on", ["{{payload.x}}"], { x: "a-b" }, "a-b|"],
    [
      "beside an option or a secret of the job",
      ["-o", "{{secrets.KEY}}{{payload.x}}"],
      { x: "-o" },
      "-o|[secret KEY]-o|",
    ],
  ])("may have a dash %s", async (_, args, payload, said) => {
    expect(await attempt(args, payload, { KEY: "-----BEGIN" })).toMatchObject({
      result: { outcome: "succeeded" },
      said,
    });
  });
});

describe("the exit code decides", () => {
  test("one that is no success is a failure that may be tried again, with the last words of the command", async () => {
    const call = makeCall(script("echo first >&2; echo it is broken >&2; echo >&2; exit 3"));
    expect(await makeRunner().attempt(call, never)).toMatchObject({
      outcome: "failed",
      error: { code: "exit_code", message: "the command exited with code 3: it is broken" },
      cause: { kind: "handler" },
      doubtful: false,
      result: { exitCode: 3, signal: null },
    });
  });

  test("those that the job calls a success are one", async () => {
    const target = { ...script("exit 4"), successOn: [0, 4] };
    expect(await makeRunner().attempt(makeCall(target), never)).toMatchObject({
      outcome: "succeeded",
      result: { exitCode: 4 },
    });
    expect(await makeRunner().attempt(makeCall({ ...script("exit 0"), successOn: [1] }), never)).toMatchObject({
      outcome: "failed",
    });
  });

  test("a command that somebody else ended has failed", async () => {
    expect(await makeRunner().attempt(makeCall(script("kill -9 $$")), never)).toMatchObject({
      outcome: "failed",
      error: { code: "signal", message: "the command was ended by SIGKILL" },
      cause: { kind: "handler" },
      result: { exitCode: null, signal: "SIGKILL" },
    });
  });
});

describe("secrets", () => {
  const secrets = { TOKEN: "s3cret-token", KEY: "-----BEGIN KEY-----\nMIIEvAIBADANBg\n-----END KEY-----\n" };

  test("are filled in and taken out of what the command prints", async () => {
    const call = makeCall({
      ...script('echo "got $1"; echo "$KEY"; echo "$1" >&2; exit 1', "{{secrets.TOKEN}}"),
      env: { KEY: "{{secrets.KEY}}" },
    });
    const result = await makeRunner({ secrets }).attempt(call, never);
    expect(call.reporter.of("stdout")).toEqual([
      "got [secret TOKEN]",
      "[secret KEY]",
      "[secret KEY]",
      "[secret KEY]",
      "",
    ]);
    expect(result.error!.message).toBe("the command exited with code 1: [secret TOKEN]");
  });

  test("that are missing, like any other missing value, fail the attempt for good before anything runs", async () => {
    const proof = join(folder(), "ran");
    for (const [arg, code] of [
      ["{{secrets.OTHER}}", "unknown_secret"],
      ["{{payload.none}}", "template"],
    ]) {
      const result = await makeRunner({ secrets }).attempt(makeCall({ command: "touch", args: [proof, arg] }), never);
      expect(result).toMatchObject({ outcome: "failed", error: { code }, cause: null, doubtful: false });
    }
    expect(() => readFileSync(proof)).toThrow();
  });

  test("that are too long together fail the attempt for good before anything runs", async () => {
    const proof = join(folder(), "ran");
    const call = makeCall({ command: "touch", args: [proof, "{{secrets.A}}{{secrets.B}}"] });
    const long = { A: "a".repeat(40_000), B: "b".repeat(25_537) };
    const result = await makeRunner({ secrets: long }).attempt(call, never);
    expect(result).toMatchObject({
      outcome: "failed",
      error: { code: "secrets_too_large" },
      cause: null,
      doubtful: false,
    });
    expect(result.error!.message).not.toMatch(/aaaa|bbbb/);
    expect(() => readFileSync(proof)).toThrow();
  });

  test("of many lines are taken out line by line", async () => {
    const lines = Array.from({ length: 500 }, (_, n) => `line ${n} of the "secret"`);
    const call = makeCall({ ...script('printf "%s\\n" "$KEY"'), env: { KEY: "{{secrets.KEY}}" } });
    await makeRunner({ secrets: { KEY: lines.join("\n") } }).attempt(call, never);
    expect(call.reporter.of("stdout")).toEqual(lines.map(() => "[secret KEY]"));
  });

  test("that cannot be read at the moment are a reason to try again, also at most once", async () => {
    const away = { secrets: () => Promise.reject(new Error("the database is away")) };
    const runner = new ShellTargetRunner(away, { users: [], environment: {}, allowed: [] });
    const result = await runner.attempt(makeCall({ command: "true", args: ["{{secrets.TOKEN}}"] }), never);
    expect(result).toMatchObject({
      outcome: "failed",
      error: { code: "vault_unavailable" },
      cause: { kind: "network" },
      doubtful: false,
    });
  });
});

describe("a command that cannot be run is a failure that says so and is not tried again", () => {
  test.each([
    ["one that is not there", { command: "no-such-program-anywhere" }, "command_not_found", /no-such-program-anywhere/],
    ["one at a path that is not there", { command: "/no/such/program" }, "command_not_found", /\/no\/such\/program/],
    ["a file that is no program", { command: "/etc/passwd" }, "command_not_executable", /\/etc\/passwd/],
    [
      "in a folder that is not there",
      { command: "true", cwd: "/no/such/folder" },
      "working_folder",
      /\/no\/such\/folder/,
    ],
    ["in a folder that is a file", { command: "true", cwd: "/etc/passwd" }, "working_folder", /is not a folder/],
    ["as a user that is not allowed", { command: "true", user: "root" }, "user", /PUNCTUAL_SHELL_USERS/],
  ])("%s", async (_, target, code, message) => {
    const result = await makeRunner().attempt(makeCall(target), never);
    expect(result).toMatchObject({ outcome: "failed", error: { code }, cause: null, doubtful: false, result: null });
    expect(result.error!.message).toMatch(message);
  });

  test("as a user that is not there", async () => {
    const result = await makeRunner({ users: ["nobody-at-all"] }).attempt(makeCall({ command: "true" }), never);
    expect(result).toMatchObject({ outcome: "failed", error: { code: "user" }, cause: null });
    expect(result.error!.message).toContain('there is no user "nobody-at-all"');
  });

  test.runIf(isRoot)("one that its user may not execute", async () => {
    const program = join(folder(), "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    const result = await makeRunner({ users: ["nobody"] }).attempt(makeCall({ command: program }), never);
    expect(result).toMatchObject({ error: { code: "command_not_executable" }, cause: null });
    expect(result.error!.message).toContain('by "nobody"');
  });

  test("one with more arguments than the machine takes", async () => {
    const args = Array.from({ length: 256 }, () => "{{payload}}");
    const call = makeCall({ command: "true", args }, { payload: "x".repeat(100_000) });
    expect(await makeRunner().attempt(call, never)).toMatchObject({ error: { code: "template" }, cause: null });
  });
});

describe("a command that is called off", () => {
  /** Runs a script that says its process numbers, and calls it off when it has. */
  async function calledOff(text: string, reason: AbortReason, graceMs = 5_000) {
    const call = makeCall(script(text));
    const abort = new AbortController();
    const result = makeRunner({ graceMs }).attempt(call, abort.signal);
    const pids = (await call.reporter.hears(/^pids/)).match(/\d+/g)!.map(Number);
    expect(pids.map(isAlive)).not.toContain(false);
    abort.abort(reason);
    return { result: await result, pids, call };
  }

  test.each([
    ["timeout", "timed_out", { kind: "timeout" }],
    ["cancelled", "cancelled", null],
    ["claim_lost", "cancelled", null],
    ["shutdown", "cancelled", null],
  ] as const)(
    "by %s is ended with everything it started, and nobody knows what it has done",
    async (reason, outcome, cause) => {
      const { result, pids } = await calledOff("sleep 300 & echo pids $$ $!; wait", reason);
      expect(result).toMatchObject({ outcome, cause, error: { code: reason }, doubtful: true, result: null });
      expect(pids).toHaveLength(2);
      expect(pids.map(isAlive)).toEqual([false, false]);
    },
  );

  test("may use the time it has to clean up, and is called off all the same", async () => {
    const { result, call } = await calledOff(
      "trap 'echo cleaned up; exit 0' TERM; echo pids $$; while true; do sleep 0.05; done",
      "timeout",
    );
    expect(call.reporter.of("stdout")).toContain("cleaned up");
    expect(result).toMatchObject({ outcome: "timed_out" });
  });

  test("is killed if it does not listen, and so are its children that do not", async () => {
    const { result, pids } = await calledOff(
      "trap '' TERM; sh -c \"trap '' TERM; sleep 300 & wait; sleep 300\" & echo pids $$ $!; while true; do sleep 1; done",
      "timeout",
      100,
    );
    expect(result).toMatchObject({ outcome: "timed_out" });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test("takes children with it that outlive it", async () => {
    const { pids } = await calledOff(
      "sh -c \"trap '' TERM; echo pids \\$\\$; while true; do sleep 1; done\" & wait",
      "cancelled",
      100,
    );
    expect(pids.map(isAlive)).toEqual([false]);
  });

  test("before it began never begins", async () => {
    const proof = join(folder(), "ran");
    const result = await makeRunner().attempt(
      makeCall({ command: "touch", args: [proof] }),
      AbortSignal.abort("cancelled" satisfies AbortReason),
    );
    expect(result).toMatchObject({ outcome: "cancelled", doubtful: false });
    expect(() => readFileSync(proof)).toThrow();
  });
});

describe("what a command leaves behind", () => {
  test("does not hold it up: who keeps its output open is killed a moment later", async () => {
    const call = makeCall(script("sleep 300 & echo pid $!"));
    const result = await makeRunner().attempt(call, never);
    expect(result).toMatchObject({ outcome: "succeeded", result: { exitCode: 0 } });
    const pid = Number(call.reporter.of("stdout")[0]!.split(" ")[1]);
    await vi.waitUntil(() => !isAlive(pid));
    expect(call.reporter.lines.at(-1)!.message).toMatch(/left behind/);
  });

  test("does not hold it up either when it never stops talking, or has left the group", async () => {
    const call = makeCall(script("setsid sleep 300 & echo pid $!; yes &"));
    expect(await makeRunner().attempt(call, never)).toMatchObject({ outcome: "succeeded" });
    const pid = Number(
      call.reporter
        .of("stdout")
        .find((line) => line.startsWith("pid"))!
        .split(" ")[1],
    );
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });

  test("lives on if it has its own output, as a service that was started should", async () => {
    const call = makeCall(script("sleep 300 >/dev/null 2>&1 & echo pid $!"));
    expect(await makeRunner().attempt(call, never)).toMatchObject({ outcome: "succeeded" });
    const pid = Number(call.reporter.of("stdout")[0]!.split(" ")[1]);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  test("an output that is closed early is not an end", async () => {
    const call = makeCall(script("exec >&- 2>&-; sleep 0.3; exit 5"));
    expect(await makeRunner().attempt(call, never)).toMatchObject({ outcome: "failed", result: { exitCode: 5 } });
  });
});

test("a runner that is closed ends what still runs", async () => {
  const runner = makeRunner();
  const call = makeCall(script("echo pids $$; sleep 300"));
  const result = runner.attempt(call, never);
  const [pid] = (await call.reporter.hears(/^pids/)).match(/\d+/g)!.map(Number);
  await runner.close();
  expect(isAlive(pid!)).toBe(false);
  expect(await result).toMatchObject({ outcome: "failed", error: { code: "signal" } });
});

function passwd(name: string): string[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith(`${name}:`))!
    .split(":");
}
