// From a cursor to what becomes of each instant. Everything a planner decides is decided here, from values alone:
//
//   nextFireAt …… missed …… | …… late or due …… now …… due soon …… horizon | next
//
// Missed instants (later than their grace) go by the job's misfire policy: the ones that do not run are covered by
// stretches, one ledger row per UTC day, counted in closed form so that a year of missed seconds costs 366 rows and
// no more than a few thousand steps. The others become fires. The work per call is bounded; what is left over is
// simply where the cursor stands for the next call.

import type { Reason } from "../contract/execution.ts";
import type { OverlapPolicy } from "../contract/job.ts";
import type { CompiledSchedule } from "./compiled-job.ts";
import { fireIdFromHash } from "./ids.ts";
import { catchUpLane, isHandlerLane } from "./lane.ts";
import type { Timetable } from "./schedule/timetable.ts";

export interface Fire {
  id: string;
  scheduledAt: number;
  /** From here on it is not merely late: the misfire policy decides again when it is claimed. */
  lateAfter: number | null;
  lane: string;
  overlap: OverlapPolicy | "catch_up";
  lastFire: boolean;
}

export interface Stretch {
  id: string;
  first: number;
  last: number;
  count: number;
  reason: Reason;
}

export interface Plan {
  fires: Fire[];
  skips: Stretch[];
  next: number | null;
  /** All instants up to here are covered. */
  plannedUntil: number;
  runs: number;
  /** Nothing more will ever fire, and nothing of this plan is left to run. */
  completes: boolean;
}

export interface PlanLimits {
  firesMax: number;
  stretchesMax: number;
}

export const PLAN_LIMITS: PlanLimits = { firesMax: 1_000, stretchesMax: 400 };

/** An instant is merely late for a minute, or until the next one if that comes sooner, unless the job says otherwise. */
const GRACE_DEFAULT_MS = 60_000;
const DAY_MS = 86_400_000;

export interface Moment {
  now: number;
  /** Instants up to here are planned. */
  horizon: number;
  /** The ledger does not reach further back: older instants are not written. */
  ledgerFrom: number;
}

export function plan(
  job: CompiledSchedule,
  cursor: { next: number; runs: number },
  moment: Moment,
  limits = PLAN_LIMITS,
): Plan {
  const draft = new Draft(job, cursor, limits);
  // Mostly it is planned ahead of its time, and nothing can have been missed.
  if (cursor.next <= moment.now) {
    draft.forgetBefore(moment.ledgerFrom);
    const missedUntil = lastMissed(job, moment.now);
    if (missedUntil !== null) draft.settleMissed(missedUntil, moment.now);
  }
  draft.fireUntil(moment.horizon);
  return draft.plan();
}

/** The latest instant that is more than merely late, or null. */
function lastMissed(job: CompiledSchedule, now: number): number | null {
  if (job.misfire.graceMs !== null) return job.timetable.previous(now - job.misfire.graceMs + 1);
  const latest = job.timetable.previous(now + 1);
  if (latest === null || now - latest >= GRACE_DEFAULT_MS) return latest;
  return job.timetable.previous(latest);
}

export function graceOf(job: CompiledSchedule, scheduledAt: number, next: number | null): number {
  if (job.misfire.graceMs !== null) return job.misfire.graceMs;
  return Math.min(GRACE_DEFAULT_MS, next === null ? GRACE_DEFAULT_MS : next - scheduledAt);
}

/** A plan in the making: `next` is the first instant not covered yet. */
class Draft {
  readonly #job: CompiledSchedule;
  readonly #limits: PlanLimits;
  readonly #fires: Fire[] = [];
  readonly #skips: Stretch[] = [];
  #next: number | null;
  #plannedUntil: number;
  #runs: number;
  #full = false;

  constructor(job: CompiledSchedule, cursor: { next: number; runs: number }, limits: PlanLimits) {
    this.#job = job;
    this.#limits = limits;
    this.#next = cursor.next;
    this.#plannedUntil = cursor.next - 1;
    this.#runs = cursor.runs;
  }

  plan(): Plan {
    return {
      fires: this.#fires,
      skips: this.#skips,
      next: this.#next,
      plannedUntil: this.#plannedUntil,
      runs: this.#runs,
      completes: this.#next === null && this.#fires.length === 0,
    };
  }

  forgetBefore(ledgerFrom: number): void {
    if (this.#next !== null && this.#next < ledgerFrom) this.#cover(ledgerFrom - 1);
  }

  settleMissed(until: number, now: number): void {
    const from = this.#next;
    if (from === null || from > until) return;
    const { policy, limit } = this.#job.misfire;
    if (policy === "skip") this.#skipUntil(until);
    else if (policy === "fire_once") {
      this.#skipUntil(until - 1);
      this.#fireOverdue(until, this.#job.lane, this.#job.overlap);
    } else {
      const first = this.#firstOfLatest(limit, Math.max(from, now - this.#job.misfire.windowMs), until);
      this.#skipUntil(first - 1);
      while (!this.#full && this.#next !== null && this.#next <= until)
        this.#fireOverdue(until, catchUpLane(this.#job.lane), "catch_up");
    }
  }

  fireUntil(horizon: number): void {
    while (!this.#full && this.#next !== null && this.#next <= horizon) {
      const scheduledAt = this.#next;
      const following = this.#job.timetable.next(scheduledAt);
      // Those of a fire_all all run in the end, unless nobody may ever take them: then its limits are all that bounds them.
      const judgedAgain = this.#job.misfire.policy !== "fire_all" || isHandlerLane(this.#job.lane);
      const lateAfter = judgedAgain ? scheduledAt + graceOf(this.#job, scheduledAt, following) : null;
      this.#fire(scheduledAt, following, { lateAfter, lane: this.#job.lane, overlap: this.#job.overlap });
    }
  }

  /** The earliest of the latest `limit` instants in [from, until]; after `until` if there is none. */
  #firstOfLatest(limit: number, from: number, until: number): number {
    let first = until + 1;
    for (let n = 0; n < limit; n += 1) {
      const earlier = this.#job.timetable.previous(first);
      if (earlier === null || earlier < from) break;
      first = earlier;
    }
    return first;
  }

  #fireOverdue(until: number, lane: string, overlap: Fire["overlap"]): void {
    if (this.#full || this.#next === null || this.#next > until) return;
    this.#fire(this.#next, this.#job.timetable.next(this.#next), { lateAfter: null, lane, overlap });
  }

  #fire(scheduledAt: number, following: number | null, how: Pick<Fire, "lateAfter" | "lane" | "overlap">): void {
    this.#runs += 1;
    const next = this.#runs >= this.#job.maxRuns ? null : following;
    this.#fires.push({
      id: fireIdFromHash(this.#job.hash, scheduledAt),
      scheduledAt,
      lastFire: next === null,
      ...how,
    });
    this.#plannedUntil = scheduledAt;
    this.#next = next;
    this.#full = this.#fires.length >= this.#limits.firesMax;
  }

  #skipUntil(until: number): void {
    if (this.#full || this.#next === null || this.#next > until) return;
    const { policy } = this.#job.misfire;
    const message = `missed by more than its grace; misfire policy ${policy}`;
    const { stretches, coveredUntil } = skippedStretches(
      this.#job,
      this.#next,
      until,
      { code: "misfire", message },
      this.#limits.stretchesMax,
    );
    this.#skips.push(...stretches);
    this.#cover(coveredUntil);
    this.#full = coveredUntil < until;
  }

  #cover(until: number): void {
    this.#plannedUntil = Math.max(this.#plannedUntil, until);
    this.#next = this.#job.timetable.next(until);
  }
}

/** One row per UTC day for the instants in [from, until]. */
export function skippedStretches(
  job: { hash: string; timetable: Timetable },
  from: number,
  until: number,
  reason: Reason,
  max: number,
): { stretches: Stretch[]; coveredUntil: number } {
  const stretches: Stretch[] = [];
  let first = job.timetable.next(from - 1);
  while (first !== null && first <= until) {
    if (stretches.length >= max) return { stretches, coveredUntil: first - 1 };
    const dayEnd = Math.floor(first / DAY_MS) * DAY_MS + DAY_MS - 1;
    const last = job.timetable.previous(Math.min(dayEnd, until) + 1)!;
    const count = last === first ? 1 : job.timetable.count(first - 1, last);
    stretches.push({ id: fireIdFromHash(job.hash, first), first, last, count, reason });
    first = job.timetable.next(last);
  }
  return { stretches, coveredUntil: until };
}
