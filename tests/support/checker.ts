// Were the promises kept? The checker knows nothing of the engine. It is told which jobs there were, computes by itself when
// they were due, and compares that with two witnesses: the ledger, read with plain SQL, and the target's own file.
//
// What it demands:
// - complete:   every instant that was due has a row in the ledger: run, or skipped with a reason;
// - unique:     and not more than one;
// - finished:   nothing is left in the queue once everything is quiet;
// - delivered:  what the ledger calls succeeded, the target answered with success, in that very attempt;
// - explained:  a second call for an execution comes only after an attempt that the ledger calls lost, timed out or
//               failed, with a higher number; no attempt is ever called twice, none is called that the ledger lacks;
// - never early: neither at the target nor in the ledger.
import type pg from "pg";
import type { Call } from "./target-server.ts";

/** A job as the test made it. Instants are milliseconds since 1970. */
export interface WatchedJob {
  id: string;
  name: string;
  /** Every so many milliseconds since its creation, or by cron at every so many seconds of the minute. */
  schedule: { everyMs: number } | { cronSeconds: number };
  createdAt: number;
  /** The moments before and after the request that took its schedule, or deleted it. What was due in between may or may
   * not be in the ledger; what was due later is nobody's business. */
  ended: { after: number; before: number };
}

export interface LedgerRow {
  id: string;
  jobId: string;
  trigger: string;
  state: string;
  reason: string | null;
  scheduledAt: number;
  /** The last instant of a stretch of skipped ones. */
  scheduledUntil: number | null;
  count: number;
  attempt: number;
  attempts: { number: number; outcome: string | null; startedAt: string }[];
}

export interface Evidence {
  jobs: WatchedJob[];
  /** Executions that somebody asked for and was told the id of. */
  triggered: string[];
  ledger: LedgerRow[];
  calls: Call[];
  /** When the fault began: healing is counted from here. */
  faultAt: number | null;
}

export interface Report {
  due: number;
  executed: number;
  skipped: Record<string, number>;
  /** Executions that ended otherwise, by state. */
  ended: Record<string, number>;
  lost: string[];
  duplicated: string[];
  stray: string[];
  unfinished: string[];
  undelivered: string[];
  calls: number;
  extraCalls: { explained: number; unexplained: string[] };
  phantomCalls: string[];
  early: string[];
  latenessMs: { p50: number; p99: number; max: number };
  /** From the fault to the last call that was more than a second late or not the first of its execution. */
  healMs: number;
}

const DOUBTFUL = new Set(["lost", "timed_out", "failed"]);
const LATE_MS = 1_000;

export function check(evidence: Evidence): Report {
  return { ...checkInstants(evidence), ...checkCalls(evidence) };
}

/** Every promise that was broken, in words; none if all is well. */
export function brokenPromises(report: Report): string[] {
  const told = (what: string, cases: string[]) => cases.map((one) => `${what}: ${one}`);
  return [
    ...told("lost", report.lost),
    ...told("duplicated", report.duplicated),
    ...told("never due", report.stray),
    ...told("unfinished", report.unfinished),
    ...told("succeeded without a call", report.undelivered),
    ...told("called again for no reason", report.extraCalls.unexplained),
    ...told("called without being in the ledger", report.phantomCalls),
    ...told("early", report.early),
  ];
}

/** One line for the log of a test run. */
export function summary(report: Report): string {
  const { latenessMs, extraCalls, skipped } = report;
  const counts = (by: Record<string, number>) => Object.entries(by).map(([name, n]) => `${name} ${n}`);
  return [
    `due ${report.due}`,
    `executed ${report.executed}`,
    ...counts(report.ended),
    `skipped ${counts(skipped).join(", ") || 0}`,
    `lost ${report.lost.length}`,
    `duplicated ${report.duplicated.length}`,
    `calls ${report.calls}`,
    `extra ${extraCalls.explained} explained, ${extraCalls.unexplained.length} not`,
    `early ${report.early.length}`,
    `lateness p50 ${latenessMs.p50} p99 ${latenessMs.p99} max ${latenessMs.max} ms`,
    `healed after ${report.healMs} ms`,
  ].join(" · ");
}

// ---------------------------------------------------------------------------------------------------------------
// The ledger against the clock
// ---------------------------------------------------------------------------------------------------------------

type InstantReport = Pick<
  Report,
  "due" | "executed" | "skipped" | "ended" | "lost" | "duplicated" | "stray" | "unfinished"
>;

function checkInstants({ jobs, triggered, ledger }: Evidence): InstantReport {
  const report: InstantReport = {
    due: 0,
    executed: 0,
    skipped: {},
    ended: {},
    lost: [],
    duplicated: [],
    stray: [],
    unfinished: [],
  };
  const scheduled = grouped(
    ledger.filter(({ trigger }) => trigger === "schedule"),
    ({ jobId }) => jobId,
  );
  for (const job of jobs) checkJob(job, scheduled.get(job.id) ?? [], report);
  const known = new Set(ledger.map(({ id }) => id));
  for (const id of triggered) if (!known.has(id)) report.lost.push(`triggered execution ${id}`);
  for (const { id, state, jobId } of ledger)
    if (["scheduled", "running", "retrying"].includes(state))
      report.unfinished.push(`${state} ${id} of job ${nameOf(jobs, jobId)}`);
  return report;
}

function checkJob(job: WatchedJob, rows: LedgerRow[], report: InstantReport): void {
  const instants = dueInstants(job);
  const covered = new Map<number, LedgerRow[]>(instants.map((instant) => [instant, []]));
  for (const row of rows) {
    const until = row.scheduledUntil ?? row.scheduledAt;
    const within = instants.filter((instant) => instant >= row.scheduledAt && instant <= until);
    for (const instant of within) covered.get(instant)!.push(row);
    if (within.length !== row.count)
      report.stray.push(`${at(job, row.scheduledAt)}: ${row.count} for ${within.length}`);
    if (row.state === "skipped") report.skipped[row.reason!] = (report.skipped[row.reason!] ?? 0) + within.length;
    else if (row.state === "succeeded") report.executed += 1;
    else report.ended[row.state] = (report.ended[row.state] ?? 0) + 1;
  }
  for (const [instant, by] of covered) {
    const optional = instant >= job.ended.after;
    if (!optional || by.length > 0) report.due += 1;
    if (by.length === 0 && !optional) report.lost.push(at(job, instant));
    if (by.length > 1) report.duplicated.push(`${at(job, instant)}: ${by.map(({ id }) => id).join(", ")}`);
  }
}

/** All instants up to its end, including those of a pause in between: these have to be in the ledger too, as skipped. */
function dueInstants(job: WatchedJob): number[] {
  const end = job.ended.before + 1;
  const instants: number[] = [];
  if ("everyMs" in job.schedule) {
    for (let at = job.createdAt + job.schedule.everyMs; at < end; at += job.schedule.everyMs) instants.push(at);
    return instants;
  }
  // Whole seconds of the minute that the step divides, as a clock on the wall shows them.
  for (let second = Math.floor(job.createdAt / 1_000) + 1; second * 1_000 < end; second += 1)
    if ((second % 60) % job.schedule.cronSeconds === 0) instants.push(second * 1_000);
  return instants;
}

function grouped<T>(items: T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

function at(job: WatchedJob, instant: number): string {
  return `${job.name} at ${new Date(instant).toISOString()}`;
}

function nameOf(jobs: WatchedJob[], id: string): string {
  return jobs.find((job) => job.id === id)?.name ?? id;
}

// ---------------------------------------------------------------------------------------------------------------
// The ledger against the target's file
// ---------------------------------------------------------------------------------------------------------------

type CallReport = Pick<
  Report,
  "undelivered" | "calls" | "extraCalls" | "phantomCalls" | "early" | "latenessMs" | "healMs"
>;

function checkCalls({ ledger, calls, faultAt }: Evidence): CallReport {
  const rows = new Map(ledger.map((row) => [row.id, row]));
  const byExecution = grouped(calls, ({ id }) => id);
  const extraCalls = { explained: 0, unexplained: [] as string[] };
  const phantomCalls: string[] = [];
  for (const [id, made] of byExecution) {
    const row = rows.get(id);
    const strangers = made.filter(({ attempt }) => row === undefined || attempt > row.attempt);
    phantomCalls.push(...strangers.map(({ attempt, job }) => `attempt ${attempt} of ${id} (${job})`));
    if (row === undefined) continue;
    for (const extra of extraOf(made)) {
      if (isExplained(extra, made, row)) extraCalls.explained += 1;
      else extraCalls.unexplained.push(`attempt ${extra.attempt} of ${id} (${extra.job}), called as ${arrivals(made)}`);
    }
  }
  const delivered = new Set(calls.filter(isSuccess).map(({ id, attempt }) => `${id} ${attempt}`));
  const succeeded = ledger.filter(({ state }) => state === "succeeded");
  return {
    calls: calls.length,
    undelivered: succeeded.filter((row) => !delivered.has(`${row.id} ${row.attempt}`)).map(({ id }) => id),
    extraCalls,
    phantomCalls,
    early: [...earlyCalls(calls), ...earlyAttempts(ledger)],
    latenessMs: latenessOf(calls, rows),
    healMs: faultAt === null ? 0 : healingOf(calls, rows, faultAt),
  };
}

function isSuccess({ status }: Call): boolean {
  return status >= 200 && status < 300;
}

/** Attempts in the order in which their calls arrived. */
function arrivals(made: Call[]): string {
  return made
    .toSorted((a, b) => a.in - b.in)
    .map(({ attempt }) => attempt)
    .join(", ");
}

/** All calls of an execution but the first to arrive. */
function extraOf(made: Call[]): Call[] {
  return made.toSorted((a, b) => a.in - b.in || a.attempt - b.attempt).slice(1);
}

function isExplained(extra: Call, made: Call[], row: LedgerRow): boolean {
  if (made.filter(({ attempt }) => attempt === extra.attempt).length > 1) return false;
  // Whoever is frozen between looking at the lease and sending cannot know that it was given up: its call comes after its successor's.
  const own = row.attempts.find(({ number }) => number === extra.attempt);
  const isOvertaken = made.some((other) => other.attempt > extra.attempt && other.in <= extra.in);
  if (own?.outcome === "lost" && isOvertaken) return true;
  const before = row.attempts.find(({ number }) => number === extra.attempt - 1);
  return before !== undefined && DOUBTFUL.has(before.outcome ?? "");
}

function earlyCalls(calls: Call[]): string[] {
  const early = calls.filter((call) => call.in < Date.parse(call.scheduledAt));
  return early.map((call) => `${call.id} (${call.job}) by ${Date.parse(call.scheduledAt) - call.in} ms`);
}

function earlyAttempts(ledger: LedgerRow[]): string[] {
  return ledger
    .filter(({ scheduledAt, attempts }) => attempts.some(({ startedAt }) => Date.parse(startedAt) < scheduledAt))
    .map(({ id }) => `${id} by its attempts in the ledger`);
}

/** Of first calls of scheduled executions: an extra one says nothing about how punctual the first was. */
function latenessOf(calls: Call[], rows: Map<string, LedgerRow>): Report["latenessMs"] {
  const first = calls.filter(({ id, attempt }) => attempt === 1 && rows.get(id)?.trigger === "schedule");
  const lateness = first.map((call) => call.in - Date.parse(call.scheduledAt)).toSorted((a, b) => a - b);
  const quantile = (q: number) => lateness[Math.min(lateness.length - 1, Math.floor(q * lateness.length))] ?? 0;
  return { p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}

function healingOf(calls: Call[], rows: Map<string, LedgerRow>, faultAt: number): number {
  const odd = calls.filter(
    (call) =>
      call.in >= faultAt &&
      rows.get(call.id)?.trigger === "schedule" &&
      (call.attempt > 1 || call.in - Date.parse(call.scheduledAt) > LATE_MS),
  );
  return odd.reduce((last, call) => Math.max(last, call.in - faultAt), 0);
}

// ---------------------------------------------------------------------------------------------------------------
// Reading the ledger
// ---------------------------------------------------------------------------------------------------------------

const LEDGER = `
  select id, job_id, trigger, state, reason_code, scheduled_at, scheduled_until, count, attempt,
    -- Of an attempt that succeeded at once nothing is kept that the row says already.
    case when state = 'succeeded' and json_array_length(attempts) = 0
      then json_build_array(json_build_object('number', 1, 'outcome', 'succeeded', 'startedAt', started_at, 'finishedAt', finished_at,
        'node', node, 'worker', worker)) else attempts end as attempts
  from punctual.execution
  union all
  select q.id, q.job_id, q.trigger, q.state, null, q.scheduled_at, null, 1, q.attempt,
    coalesce((select json_agg(a.detail order by a.number) from punctual.attempt a where a.execution_id = q.id), '[]')
  from punctual.queue q`;

interface LedgerColumns {
  id: string;
  job_id: string;
  trigger: string;
  state: string;
  reason_code: string | null;
  scheduled_at: Date;
  scheduled_until: Date | null;
  count: number;
  attempt: number;
  attempts: LedgerRow["attempts"];
}

/** One statement, hence one moment: no row is seen on both sides of its way from the queue to the history. */
export async function readLedger(pool: pg.Pool): Promise<LedgerRow[]> {
  const { rows } = await pool.query<LedgerColumns>(LEDGER);
  return rows.map((row) => ({
    id: row.id,
    jobId: row.job_id,
    trigger: row.trigger,
    state: row.state,
    reason: row.reason_code,
    scheduledAt: row.scheduled_at.getTime(),
    scheduledUntil: row.scheduled_until?.getTime() ?? null,
    count: row.count,
    attempt: row.attempt,
    attempts: row.attempts,
  }));
}
