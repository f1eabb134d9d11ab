import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { claim, createJob, PROJECT, succeeded, triggerJob, useTestStore } from "../../../tests/support/store.ts";
import type { LogLineInput } from "../../contract/log.ts";
import { LOG_BYTES_MAX, LOG_FIELDS_MAX, LOG_LINES_MAX, LOG_MESSAGE_MAX } from "../../contract/log-limits.ts";
import type { Claimed } from "../port/queue.ts";

const t = useTestStore();

/** An execution that runs. */
async function running(runAt?: Date): Promise<Claimed> {
  const job = await createJob(t.store);
  const id = await triggerJob(t.store, job, runAt === undefined ? {} : { runAt });
  const { claimed } = await claim(t.store, t.nodeId);
  return claimed.find((one) => one.id === id)!;
}

function line(seq: number, message = `line ${seq}`, more: Partial<LogLineInput> = {}): LogLineInput {
  return { seq, level: "info", message, fields: null, ...more };
}

function lines(from: number, to: number): LogLineInput[] {
  return Array.from({ length: to - from + 1 }, (_, index) => line(from + index));
}

const append = (one: Claimed, ...written: LogLineInput[]) =>
  t.store.logs.append([{ id: one.id, claim: one.claim, lines: written }]);

async function read(one: { id: string }, page: Partial<Parameters<typeof t.store.logs.read>[2]> = {}) {
  return (await t.store.logs.read(PROJECT, one.id, {
    after: null,
    level: "debug",
    limit: LOG_LINES_MAX + 10,
    ...page,
  }))!;
}

test("lines are read in their order, after a line, from a level up, and as many as asked for", async () => {
  const one = await running();
  const at = "2026-12-01T01:00:00.123Z";
  expect(await append(one, line(2, "second", { level: "warn", fields: { n: 1 } }), line(1, "first", { at }))).toEqual({
    accepted: 2,
    dropped: 0,
  });
  await append(one, line(3, "third", { level: "debug" }), line(10, "tenth", { level: "error" }));
  const { lines, state } = await read(one);
  expect(state).toBe("running");
  expect(lines.map(({ message }) => message)).toEqual(["first", "second", "third", "tenth"]);
  expect(lines[0]).toEqual({ attempt: 1, seq: 1, at, level: "info", message: "first", fields: null });
  expect(lines[1]).toMatchObject({ level: "warn", fields: { n: 1 } });
  expect(Math.abs(Date.parse(lines[1]!.at) - Date.now())).toBeLessThan(60_000);
  const seqs = async (page: Parameters<typeof read>[1]) => (await read(one, page)).lines.map(({ seq }) => seq);
  expect(await seqs({ after: { attempt: 1, seq: 2 } })).toEqual([3, 10]);
  expect(await seqs({ level: "warn" })).toEqual([2, 10]);
  expect(await seqs({ limit: 1, after: { attempt: 1, seq: 1 } })).toEqual([2]);
  expect(await seqs({ after: { attempt: 2, seq: 1 } })).toEqual([]);
});

test("only the holder of the claim writes: the lines of others are dropped, those of the same call are not", async () => {
  const [one, other] = [await running(), await running()];
  expect(
    await t.store.logs.append([
      { id: one.id, claim: one.claim, lines: lines(1, 2) },
      { id: other.id, claim: randomUUID(), lines: lines(1, 3) },
      { id: randomUUID(), claim: randomUUID(), lines: lines(1, 1) },
      { id: other.id, claim: "no claim", lines: lines(1, 1) },
    ]),
  ).toEqual({ accepted: 2, dropped: 5 });
  expect((await read(one)).lines).toHaveLength(2);
  expect((await read(other)).lines).toEqual([]);
});

test("a final execution takes no more lines and keeps those it has", async () => {
  const one = await running();
  await append(one, line(1));
  await t.store.queue.settleFinal([succeeded(one)]);
  expect(await append(one, line(2))).toEqual({ accepted: 0, dropped: 1 });
  expect(await read(one)).toMatchObject({ state: "succeeded", lines: [{ seq: 1 }] });
});

test("an execution of another project, or none at all, has no log", async () => {
  const one = await running();
  const page = { after: null, level: "debug", limit: 1 } as const;
  expect(await t.store.logs.read(randomUUID(), one.id, page)).toBeNull();
  expect(await t.store.logs.read(PROJECT, randomUUID(), page)).toBeNull();
});

test("lines that are sent again are kept once and counted once, also by two senders at a time", async () => {
  const one = await running();
  await append(one, ...lines(1, 3));
  expect(await append(one, ...lines(2, 5), line(5, "again"))).toEqual({ accepted: 5, dropped: 0 });
  const stores = [t.store, t.another().store, t.another().store];
  await Promise.all(stores.map(({ logs }) => logs.append([{ id: one.id, claim: one.claim, lines: lines(4, 60) }])));
  expect((await read(one)).lines.map(({ message }) => message)).toEqual(lines(1, 60).map(({ message }) => message));
  const { rows } = await t.pool.query("select log_lines, log_bytes from punctual.queue where id = $1", [one.id]);
  const bytes = lines(1, 60).reduce((sum, { message }) => sum + message.length, 0);
  expect(rows).toEqual([{ log_lines: 60, log_bytes: bytes }]);
});

test("senders whose executions overlap in another order do not hold each other up for ever", async () => {
  const [a, b] = [await running(), await running()];
  const batch = (one: Claimed, from: number) => ({ id: one.id, claim: one.claim, lines: lines(from, from + 4) });
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      t.store.logs.append(
        index % 2 === 0
          ? [batch(a, index * 5 + 1), batch(b, index * 5 + 1)]
          : [batch(b, index * 5 + 1), batch(a, index * 5 + 1)],
      ),
    ),
  );
  expect((await read(a)).lines).toHaveLength(100);
  expect((await read(b)).lines).toHaveLength(100);
});

test("a log has at most its number of lines, and the last one says that it was cut", async () => {
  const one = await running();
  for (let from = 1; from < LOG_LINES_MAX - 1_000; from += 1_000) await append(one, ...lines(from, from + 999));
  const written = (await read(one)).lines.length;
  expect(await append(one, ...lines(written + 1, LOG_LINES_MAX + 500))).toEqual({
    accepted: LOG_LINES_MAX - 1 - written,
    dropped: 501,
  });
  expect(await append(one, ...lines(LOG_LINES_MAX + 501, LOG_LINES_MAX + 510))).toEqual({ accepted: 0, dropped: 10 });
  const kept = (await read(one)).lines;
  expect(kept).toHaveLength(LOG_LINES_MAX);
  expect(kept.at(-2)).toMatchObject({ seq: LOG_LINES_MAX - 1, message: `line ${LOG_LINES_MAX - 1}` });
  expect(kept.at(-1)).toMatchObject({ seq: LOG_LINES_MAX, level: "warn" });
  expect(kept.at(-1)!.message).toBe("the log ends here: an execution keeps at most 10,000 lines");
});

test("a log has at most its number of bytes over all attempts, and nothing short slips in after its end", async () => {
  const one = await running();
  const long = "é".repeat(LOG_MESSAGE_MAX / 2);
  const fitting = Math.floor(LOG_BYTES_MAX / LOG_MESSAGE_MAX) - 1;
  expect(
    await append(one, ...lines(1, fitting + 3).map((each) => ({ ...each, message: long })), line(fitting + 4, "short")),
  ).toEqual({ accepted: fitting, dropped: 4 });
  expect((await read(one)).lines.at(-1)).toMatchObject({ seq: fitting + 1, level: "warn" });
  expect((await read(one)).lines.at(-1)!.message).toMatch(/at most 1,048,576 bytes/);
  const attempt = { ...succeeded(one).attempt, outcome: "failed" as const };
  await t.store.queue.settleRetry([{ id: one.id, claim: one.claim, jobId: one.jobId, delayMs: 0, attempt }]);
  const again = (await claim(t.store, t.nodeId)).claimed.find(({ id }) => id === one.id)!;
  expect(again.attempt).toBe(2);
  expect(await append(again, line(1))).toEqual({ accepted: 0, dropped: 1 });
  expect((await read(one)).lines).toHaveLength(fitting + 1);
});

test("the lines of a further attempt follow those of the first", async () => {
  const one = await running();
  await append(one, line(1, "first try"));
  const attempt = { ...succeeded(one).attempt, outcome: "failed" as const };
  await t.store.queue.settleRetry([{ id: one.id, claim: one.claim, jobId: one.jobId, delayMs: 0, attempt }]);
  const again = (await claim(t.store, t.nodeId)).claimed.find(({ id }) => id === one.id)!;
  expect(await append(one, line(2, "too late"))).toEqual({ accepted: 0, dropped: 1 });
  await append(again, line(1, "second try"));
  expect((await read(one)).lines.map(({ attempt, seq, message }) => [attempt, seq, message])).toEqual([
    [1, 1, "first try"],
    [2, 1, "second try"],
  ]);
});

test("what cannot be stored is mended and costs no other line", async () => {
  const one = await running();
  const circle: Record<string, never> = {};
  circle.self = circle as never;
  expect(
    await append(
      one,
      line(1, "a\u0000b \ud800 c"),
      line(2, `${"x".repeat(LOG_MESSAGE_MAX - 2)}😀😀`),
      line(3, "fields", { fields: { text: "a\u0000b\udfff", list: [1, null, "\u0000"] } }),
      line(4, "key", { fields: { "a\u0000b": 1 } }),
      line(5, "large", { fields: { text: "x".repeat(LOG_FIELDS_MAX) } }),
      line(6, "circle", { fields: circle }),
      line(7, "long ago", { at: "0000-01-01T00:00:00Z" }),
      line(8, "after all"),
    ),
  ).toEqual({ accepted: 8, dropped: 0 });
  const kept = (await read(one)).lines;
  expect(kept[0]!.message).toBe("a\ufffdb \ufffd c");
  expect(kept[1]!.message).toBe(`${"x".repeat(LOG_MESSAGE_MAX - 2)}…`);
  expect(kept[2]!.fields).toEqual({ text: "a\ufffdb\ufffd", list: [1, null, "\ufffd"] });
  for (const dropped of kept.slice(3, 6)) expect(dropped.fields).toEqual({ fieldsDropped: expect.any(String) });
  expect(kept[4]!.fields!.fieldsDropped).toMatch(/at most 16384 are kept/);
  expect(Date.parse(kept[6]!.at)).toBeGreaterThan(Date.parse("2020-01-01"));
  expect(kept[7]!.message).toBe("after all");
});

test("a line of an execution whose day is missing makes the day and is kept", async () => {
  const longAgo = new Date(Date.now() - 20 * 86_400_000);
  const one = await running(longAgo);
  expect(await append(one, line(1))).toEqual({ accepted: 1, dropped: 0 });
  expect((await read(one)).lines).toHaveLength(1);
  const day = `execution_log_${longAgo.toISOString().slice(0, 10).replaceAll("-", "")}`;
  const { rows } = await t.pool.query("select to_regclass($1) as there", [`punctual.${day}`]);
  expect(rows[0].there).toContain(day);
});
