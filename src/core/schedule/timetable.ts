import { parseDuration } from "../../contract/duration.ts";
import type { CronSchedule, Schedule, ScheduleBounds } from "../../contract/schedule.ts";
import { YEARS_END_MS } from "../../contract/years.ts";
import { Occurrences } from "../cron/occurrences.ts";
import { parseCron } from "../cron/parse.ts";
import { zoneNamed } from "../cron/zone.ts";

/**
 * The instants of a schedule, in milliseconds since the epoch. All three speak of the same set, and none of them
 * takes longer the further apart the times are that it is given, beyond a few steps a year.
 */
export interface Timetable {
  /** The first instant after this one. */
  next(after: number): number | null;
  /** The last instant before this one. */
  previous(before: number): number | null;
  /** How many instants there are after one time, up to and including another. */
  count(after: number, until: number): number;
}

/**
 * The timetable of a checked schedule. The anchor is the creation of the job: the phase of intervals hangs on it, so it
 * must stay the same when the job is edited. `maxRuns` is not looked at: it counts executions, not instants.
 */
export function timetable(schedule: Schedule, anchorMs: number): Timetable {
  if (schedule === null) return NEVER;
  if ("at" in schedule) return within(schedule, new Once(Date.parse(schedule.at)));
  if ("every" in schedule) {
    const startMs = schedule.startsAt === undefined ? anchorMs : Date.parse(schedule.startsAt);
    return within(schedule, new Interval(startMs, parseDuration(schedule.every)));
  }
  return within(schedule, cronOccurrences(schedule));
}

/** Throws if the schedule was not checked before. */
export function cronOccurrences(schedule: CronSchedule): Occurrences {
  const parsed = parseCron(schedule.cron);
  if (!parsed.ok) throw new Error(`unchecked schedule: ${parsed.problem.message}`);
  const zone = zoneNamed(schedule.timezone);
  if (zone === null) throw new Error(`unchecked schedule: unknown time zone "${schedule.timezone}"`);
  return new Occurrences(parsed.expression, zone, schedule.dst);
}

const NEVER: Timetable = { next: () => null, previous: () => null, count: () => 0 };

class Once implements Timetable {
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  next(after: number): number | null {
    return this.#at > after ? this.#at : null;
  }

  previous(before: number): number | null {
    return this.#at < before ? this.#at : null;
  }

  count(after: number, until: number): number {
    return this.#at > after && this.#at <= until ? 1 : 0;
  }
}

/** Start plus one period, plus two, and so on, whatever happened in between: there is nothing that could drift. */
class Interval implements Timetable {
  readonly #start: number;
  readonly #period: number;

  constructor(start: number, period: number) {
    this.#start = start;
    this.#period = period;
  }

  next(after: number): number | null {
    const instant = this.#start + (this.#passed(after) + 1) * this.#period;
    return instant < YEARS_END_MS ? instant : null;
  }

  previous(before: number): number | null {
    const periods = Math.ceil((Math.min(before, YEARS_END_MS) - this.#start) / this.#period) - 1;
    return periods >= 1 ? this.#start + periods * this.#period : null;
  }

  count(after: number, until: number): number {
    return Math.max(0, this.#passed(Math.min(until, YEARS_END_MS - 1)) - this.#passed(after));
  }

  /** Whole periods, and so instants, up to a time. */
  #passed(time: number): number {
    return Math.max(0, Math.floor((time - this.#start) / this.#period));
  }
}

function within(bounds: ScheduleBounds, inner: Timetable): Timetable {
  if (bounds.startsAt === undefined && bounds.endsAt === undefined) return inner;
  const start = bounds.startsAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(bounds.startsAt);
  const end = bounds.endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(bounds.endsAt);
  return new Bounded(inner, start, end);
}

/** From a start (included) to an end (excluded). */
class Bounded implements Timetable {
  readonly #inner: Timetable;
  readonly #start: number;
  readonly #end: number;

  constructor(inner: Timetable, start: number, end: number) {
    this.#inner = inner;
    this.#start = start;
    this.#end = end;
  }

  next(after: number): number | null {
    const instant = this.#inner.next(Math.max(after, this.#start - 1));
    return instant !== null && instant < this.#end ? instant : null;
  }

  previous(before: number): number | null {
    const instant = this.#inner.previous(Math.min(before, this.#end));
    return instant !== null && instant >= this.#start ? instant : null;
  }

  count(after: number, until: number): number {
    return this.#inner.count(Math.max(after, this.#start - 1), Math.min(until, this.#end - 1));
  }
}
