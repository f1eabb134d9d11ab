// Every node plans; none leads. A pass reads the cursors that are due within the horizon without locking them, computes what
// becomes of their instants, and writes it in one statement that takes effect only for cursors still as they were read.
// Two planners that read the same cursor compute the same plan; one of them writes it.
//
// A pass goes page by page, in the order of the instants. While one page is written the next is read and computed; what a
// page's cursors move to lies behind it, so that no page is read twice.

import type { PunctualEvent } from "../contract/events.ts";
import { plan } from "../core/plan.ts";
import type { CursorPlan, DueCursor } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { CompiledSchedules } from "./compiled-jobs.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { Loop } from "./loop.ts";

export interface PlannerDeps {
  store: Store;
  clock: DatabaseClock;
  log: Log;
  metrics: Metrics;
  /** Where planned jobs may run as well: told which they are. Nobody waits for it, and it never rejects. */
  prepare?: (jobs: { jobId: string; version: number }[]) => Promise<void>;
}

export interface PlannerOptions {
  horizonMs: number;
  retentionMs: number;
  tzdata: string;
}

/** Computed at a stretch, while nothing else of the process runs: a few milliseconds. */
const CURSORS_PER_PAGE = 500;
const CURSORS_PER_PASS = 20_000;
/** With a horizon of two seconds an instant is planned at least a second ahead, even when one pass fails. */
const REST_MS = 500;
const REST_WHEN_BUSY_MS = 25;
/** Rows one statement inserts at most: jobs with long backlogs are written in several. */
const ROWS_PER_WRITE = 5_000;
/** So that the database works on one while another is on its way. */
const WRITES_AT_ONCE = 2;
/**
 * A cursor that is due within the horizon is planned for twice as long: a job that fires every second is then looked at every
 * other second, and its instants are written several at a time.
 */
const PLANNED_HORIZONS = 2;

interface Counts {
  planned: number;
  fires: number;
  skipped: number;
}

export class Planner {
  readonly #store: Store;
  readonly #schedules: CompiledSchedules;
  readonly #clock: DatabaseClock;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #options: PlannerOptions;
  readonly #prepare: PlannerDeps["prepare"];
  readonly #loop: Loop;
  #zonesDone = false;

  constructor(deps: PlannerDeps, options: PlannerOptions) {
    this.#store = deps.store;
    this.#schedules = new CompiledSchedules(deps.store.planning);
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#metrics = deps.metrics;
    this.#options = options;
    this.#prepare = deps.prepare;
    this.#loop = new Loop("planner", deps.log, async () => {
      const { full } = await this.planOnce();
      return { againInMs: full ? REST_WHEN_BUSY_MS : REST_MS };
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** One pass. `full`: there may be more that is due. */
  async planOnce(): Promise<Counts & { full: boolean }> {
    const counts: Counts = { planned: 0, fires: 0, skipped: 0 };
    if (!this.#clock.trusted) return { ...counts, full: false };
    if (!this.#zonesDone) this.#zonesDone = await this.#recomputeZones();
    const startedAt = performance.now();
    const writes = new Writes(WRITES_AT_ONCE);
    const fired: DueCursor[] = [];
    let read = 0;
    let after: DueCursor | null = null;
    let full = true;
    try {
      while (full && read < CURSORS_PER_PASS) {
        const [now, cursors]: [Date, DueCursor[]] = await Promise.all([this.#observeClock(), this.#readDue(after)]);
        if (!this.#clock.trusted) break;
        full = cursors.length === CURSORS_PER_PAGE;
        read += cursors.length;
        after = cursors.at(-1) ?? null;
        for (const plans of batches(await this.#plans(cursors, now.getTime()))) {
          await writes.begin(() => this.#write(plans, now, counts));
          for (const { cursor, plan } of plans) if (plan.fires.length > 0) fired.push(cursor);
        }
      }
    } finally {
      await writes.ended();
    }
    this.#measure(startedAt, read, counts);
    void this.#prepare?.(fired);
    return { ...counts, full: full && this.#clock.trusted };
  }

  async #observeClock(): Promise<Date> {
    const sentAt = this.#clock.mark();
    const now = await this.#store.now();
    this.#clock.observe(now, sentAt);
    return now;
  }

  async #readDue(after: DueCursor | null): Promise<DueCursor[]> {
    const { horizonMs } = this.#options;
    return await this.#store.planning.readDueCursors({ horizonMs, limit: CURSORS_PER_PAGE, after });
  }

  async #plans(cursors: DueCursor[], now: number): Promise<CursorPlan[]> {
    const jobs = await this.#schedules.loadEach(cursors);
    const { horizonMs, retentionMs } = this.#options;
    const moment = { now, horizon: now + PLANNED_HORIZONS * horizonMs, ledgerFrom: now - retentionMs };
    const plans: CursorPlan[] = [];
    for (const [nth, cursor] of cursors.entries()) {
      const job = jobs[nth];
      if (job === undefined) continue;
      try {
        plans.push({ cursor, job, plan: plan(job, { next: cursor.nextFireAt, runs: cursor.runs }, moment) });
      } catch (error) {
        // One job that cannot be planned must not keep the others from their time.
        this.#log.error("planner.job_failed", { jobId: cursor.jobId, version: cursor.version, error });
      }
    }
    return plans;
  }

  async #write(plans: CursorPlan[], now: Date, counts: Counts): Promise<void> {
    const written = await this.#store.planning.writePlans(plans);
    counts.planned += written.length;
    for (const { plan } of written) {
      counts.fires += plan.fires.length;
      for (const { count } of plan.skips) counts.skipped += count;
    }
    this.#store.events.publish(() => announced(written, now));
  }

  /** Cursors computed with older tz data than ours, moved in batches; true when none is left. */
  async #recomputeZones(): Promise<boolean> {
    const outdated = await this.#store.planning.readOutdatedZones(this.#options.tzdata, CURSORS_PER_PAGE);
    if (outdated.length === 0) return true;
    const compiled = await this.#schedules.load(outdated.map(({ cursor }) => cursor));
    const moves = outdated.flatMap(({ cursor, plannedUntil }) => {
      const next = compiled(cursor)?.timetable.next(plannedUntil);
      return next === undefined ? [] : [{ cursor, nextFireAt: next }];
    });
    const moved = await this.#store.planning.moveCursors(moves, this.#options.tzdata);
    this.#log.info("planner.zones_recomputed", { cursors: moved, tzdata: this.#options.tzdata });
    return moved === 0;
  }

  #measure(startedAt: number, read: number, counts: Counts): void {
    this.#metrics.plannerPassDuration.observe((performance.now() - startedAt) / 1000);
    if (read === 0) return;
    this.#metrics.jobsPlanned.inc(counts.planned);
    this.#metrics.executionsEnqueued.inc(counts.fires);
    this.#metrics.fires.inc({ result: "enqueued" }, counts.fires);
    this.#metrics.fires.inc({ result: "skipped" }, counts.skipped);
    this.#log.debug("planner.planned", { ...counts, read });
  }
}

/** Writes under way: one more begins when there is room for it. */
class Writes {
  readonly #max: number;
  readonly #underWay = new Set<Promise<void>>();
  #failure: { error: unknown } | null = null;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws if an earlier one failed. */
  async begin(write: () => Promise<void>): Promise<void> {
    while (this.#underWay.size >= this.#max) await Promise.race(this.#underWay);
    this.#check();
    const one = write()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#underWay.delete(one));
    this.#underWay.add(one);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#check();
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}

function announced(plans: CursorPlan[], now: Date): PunctualEvent[] {
  const timestamp = now.toISOString();
  return plans.flatMap(({ job: { id: jobId, projectId }, plan: { fires, skips } }): PunctualEvent[] => [
    ...fires.map((fire) => ({
      type: "execution.scheduled" as const,
      timestamp,
      projectId,
      data: { jobId, executionId: fire.id, state: "scheduled" },
    })),
    ...skips.map((skip) => ({
      type: "execution.skipped" as const,
      timestamp,
      projectId,
      data: { jobId, executionId: skip.id, state: "skipped", reason: skip.reason },
    })),
  ]);
}

function batches(plans: CursorPlan[]): CursorPlan[][] {
  const result: CursorPlan[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const one of plans) {
    const size = 1 + one.plan.fires.length + one.plan.skips.length;
    if (rows + size > ROWS_PER_WRITE) {
      result.push([]);
      rows = 0;
    }
    result.at(-1)!.push(one);
    rows += size;
  }
  return result;
}
