// Every node plans; none leads. A pass reads the cursors that are due within the horizon without locking them, computes what
// becomes of their instants, and writes it in one statement that takes effect only for cursors still as they were read.
// Two planners that read the same cursor compute the same plan; one of them writes it.

import type { PunctualEvent } from "../contract/events.ts";
import { plan } from "../core/plan.ts";
import { toCursorPlan } from "../store/port/cursor-plan.ts";
import type { CursorPlan, DueCursor } from "../store/port/queue.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { CompiledJobs } from "./compiled-jobs.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { Loop } from "./loop.ts";

export interface PlannerOptions {
  horizonMs: number;
  retentionMs: number;
  tzdata: string;
}

const CURSORS_PER_PASS = 1_000;
/** With a horizon of two seconds an instant is planned at least a second ahead, even when one pass fails. */
const REST_MS = 500;
const REST_WHEN_BUSY_MS = 25;
/** Rows one statement inserts at most: jobs with long backlogs are written in several. */
const ROWS_PER_WRITE = 5_000;

export class Planner {
  readonly #store: Store;
  readonly #jobs: CompiledJobs;
  readonly #clock: DatabaseClock;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #options: PlannerOptions;
  readonly #loop: Loop;
  #zonesDone = false;

  constructor(
    deps: { store: Store; jobs: CompiledJobs; clock: DatabaseClock; log: Log; metrics: Metrics },
    options: PlannerOptions,
  ) {
    this.#store = deps.store;
    this.#jobs = deps.jobs;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#metrics = deps.metrics;
    this.#options = options;
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
  async planOnce(): Promise<{ planned: number; fires: number; skipped: number; full: boolean }> {
    if (!this.#clock.trusted) return { planned: 0, fires: 0, skipped: 0, full: false };
    if (!this.#zonesDone) this.#zonesDone = await this.#recomputeZones();
    const startedAt = performance.now();
    const sentAt = this.#clock.mark();
    const { now, cursors } = await this.#store.planning.readDueCursors({
      horizonMs: this.#options.horizonMs,
      limit: CURSORS_PER_PASS,
    });
    this.#clock.observe(now, sentAt);
    if (!this.#clock.trusted) return { planned: 0, fires: 0, skipped: 0, full: false };
    const counts = { planned: 0, fires: 0, skipped: 0, full: cursors.length === CURSORS_PER_PASS };
    for (const plans of batches(await this.#plans(cursors, now))) {
      const written = await this.#store.planning.writePlans(plans);
      counts.planned += written.moved.length;
      counts.fires += written.fires;
      counts.skipped += written.skipped;
      this.#announce(plans, new Set(written.moved), now);
    }
    this.#measure(startedAt, cursors.length, counts);
    return counts;
  }

  #announce(plans: CursorPlan[], moved: Set<string>, now: Date): void {
    const timestamp = now.toISOString();
    const written = plans.filter(({ cursor }) => moved.has(cursor.jobId));
    this.#store.events.publish(
      written.flatMap(({ cursor: { jobId, projectId }, fires, skips }): PunctualEvent[] => [
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
      ]),
    );
  }

  async #plans(cursors: DueCursor[], now: Date): Promise<CursorPlan[]> {
    const compiled = await this.#jobs.load(cursors);
    const moment = {
      now: now.getTime(),
      horizon: now.getTime() + this.#options.horizonMs,
      ledgerFrom: now.getTime() - this.#options.retentionMs,
    };
    const plans: CursorPlan[] = [];
    for (const cursor of cursors) {
      const job = compiled(cursor);
      if (job === undefined) continue;
      try {
        const made = plan(job, { next: cursor.nextFireAt.getTime(), runs: cursor.runs }, moment);
        plans.push(toCursorPlan(cursor, job, made));
      } catch (error) {
        // One job that cannot be planned must not keep the others from their time.
        this.#log.error("planner.job_failed", { jobId: cursor.jobId, version: cursor.version, error });
      }
    }
    return plans;
  }

  /** Cursors computed with older tz data than ours, moved in batches; true when none is left. */
  async #recomputeZones(): Promise<boolean> {
    const outdated = await this.#store.planning.readOutdatedZones(this.#options.tzdata, CURSORS_PER_PASS);
    if (outdated.length === 0) return true;
    const compiled = await this.#jobs.load(outdated.map(({ cursor }) => cursor));
    const moves = outdated.flatMap(({ cursor, plannedUntil }) => {
      const next = compiled(cursor)?.timetable.next(plannedUntil.getTime());
      return next === undefined ? [] : [{ cursor, nextFireAt: next === null ? null : new Date(next) }];
    });
    const moved = await this.#store.planning.moveCursors(moves, this.#options.tzdata);
    this.#log.info("planner.zones_recomputed", { cursors: moved, tzdata: this.#options.tzdata });
    return moved === 0;
  }

  #measure(startedAt: number, read: number, counts: { planned: number; fires: number; skipped: number }): void {
    this.#metrics.plannerPassDuration.observe((performance.now() - startedAt) / 1000);
    if (read === 0) return;
    this.#metrics.jobsPlanned.inc(counts.planned);
    this.#metrics.executionsEnqueued.inc(counts.fires);
    this.#metrics.fires.inc({ result: "enqueued" }, counts.fires);
    this.#metrics.fires.inc({ result: "skipped" }, counts.skipped);
    this.#log.debug("planner.planned", { ...counts, read });
  }
}

function batches(plans: CursorPlan[]): CursorPlan[][] {
  const result: CursorPlan[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const plan of plans) {
    const size = 1 + plan.fires.length + plan.skips.length;
    if (rows + size > ROWS_PER_WRITE) {
      result.push([]);
      rows = 0;
    }
    result.at(-1)!.push(plan);
    rows += size;
  }
  return result;
}
