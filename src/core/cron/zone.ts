/*
 * The clock changes of a time zone, asked from Intl and remembered.
 *
 * Intl answers one question only, "what does the clock show at this instant?", and takes more than a microsecond for
 * it. The engine needs the reverse too, and millions of times a second. So a zone is cut into stretches of constant
 * offset. They are found a year at a time, when the year is first asked about: the offset is sampled every three days
 * and, where two samples differ, the change is found to the second by halving.
 *
 * Three days are enough because no zone has changed its clock twice within less (the closest pair known is four days
 * apart, in 1939; the next seven, in Brazil in 2000 and in Palestine's announced changes). The same fact keeps the
 * rest simple: a gap or a fold involves two neighbouring stretches and never three.
 *
 * A year's stretches begin and end with the year even if the clock does not change there. Years before the first clock
 * change anywhere (1844) are one stretch. Far in the future only yearly rules are left, which repeat with the
 * calendar; such a year is copied from a nearer one with the same weekdays, so no amount of odd questions makes the
 * table large, and what is remembered altogether is bounded as well.
 */
import { firstDayOf, isLeapYear, monthOf, weekdayOf, yearOfDay } from "./calendar.ts";
import { SECONDS_PER_DAY } from "./wall.ts";

/** A time during which a zone's offset does not change. */
export interface Stretch {
  /** The first second of it, since the epoch. */
  readonly start: number;
  /** The first second after it. */
  readonly end: number;
  /** Seconds to add to get what the wall clock shows. */
  readonly offset: number;
  /** Wall time from which on the clock shows times it has not shown before. Later than the start in a fold. */
  readonly fresh: number;
  /**
   * Wall time the clock had reached when the stretch began. It shows another only if it was changed then: a later one
   * after a gap, an earlier one in a fold.
   */
  readonly reached: number;
}

const FIRST_YEAR = 1_840;
/** From here on clocks change by yearly rules only: the announced changes of Morocco and Palestine end before. */
export const SETTLED_YEAR = 2_101;
/** Leap years and first weekdays go through all their combinations in as many years. */
const KINDS_OF_YEAR = 28;

const SAMPLE_SECONDS = 3 * SECONDS_PER_DAY;
/** The clock has never been moved by more than a day: what happened two days before a year began matters no more. */
const LOOK_BACK_SECONDS = 2 * SECONDS_PER_DAY;

/** No place has ever been as far from UTC, in either direction. */
const OFFSET_MAX_SECONDS = 16 * 3_600;

/** About 400 bytes each. */
const YEARS_KEPT = 8_192;

const UTC_NAMES = new Set(["utc", "etc/utc", "gmt", "etc/gmt", "uct", "etc/uct", "zulu", "etc/zulu"]);

/**
 * Abbreviations that the time zone library takes from its own past and IANA does not know. They are traps: BST is
 * Bangladesh there, not British Summer Time, and IST India, not Israel or Ireland.
 */
const NOT_IANA =
  /^(?:A[CERS]T|AGT|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*|[+-].*)$/i;

/** Keys are in lower case, as zone names are compared without it: there cannot be more than there are zones. */
const zones = new Map<string, Zone>();
let yearsKept = 0;

/** The zone of an IANA name, or null if there is none. */
export function zoneNamed(name: string): Zone | null {
  const key = name.toLowerCase();
  let zone = zones.get(key);
  if (zone === undefined) {
    if (!isZoneName(name)) return null;
    zone = new Zone(name, { fixed: UTC_NAMES.has(key) });
    zones.set(key, zone);
  }
  return zone;
}

function isZoneName(name: string): boolean {
  if (NOT_IANA.test(name)) return false;
  try {
    clock(name);
    return true;
  } catch {
    return false;
  }
}

export class Zone {
  readonly name: string;
  readonly #years = new Map<number, readonly Stretch[]>();
  #latest: Stretch;

  constructor(name: string, { fixed }: { fixed: boolean }) {
    this.name = name;
    this.#latest = fixed ? UNCHANGING : NOWHERE;
  }

  /** The stretch in which a second lies. */
  at(second: number): Stretch {
    const latest = this.#latest;
    if (second >= latest.start && second < latest.end) return latest;
    const stretches = this.#stretchesOf(yearOfDay(Math.floor(second / SECONDS_PER_DAY)));
    let index = stretches.length - 1;
    while (index > 0 && second < stretches[index]!.start) index--;
    this.#latest = stretches[index]!;
    return this.#latest;
  }

  /**
   * The second at which the clock shows a wall time: for the first time, if it does so twice; the first one after the
   * gap, if it does not. Null if the whole rest of that day is missing.
   */
  secondOf(wall: number): number | null {
    let stretch = this.at(wall - OFFSET_MAX_SECONDS);
    while (wall >= stretch.end + stretch.offset) stretch = this.at(stretch.end);
    const first = stretch.start + stretch.offset;
    if (wall >= first) return wall - stretch.offset;
    return Math.floor(wall / SECONDS_PER_DAY) === Math.floor(first / SECONDS_PER_DAY) ? stretch.start : null;
  }

  /** The stretches that begin with a change of the clock after one second, up to another. */
  changes(after: number, until: number): Stretch[] {
    const changes: Stretch[] = [];
    for (let stretch = this.at(after); stretch.end <= until; ) {
      stretch = this.at(stretch.end);
      if (stretch.reached !== stretch.start + stretch.offset || stretch.fresh !== stretch.reached)
        changes.push(stretch);
    }
    return changes;
  }

  forget(): void {
    this.#years.clear();
  }

  #stretchesOf(year: number): readonly Stretch[] {
    const key = Math.max(year, FIRST_YEAR - 1);
    let stretches = this.#years.get(key);
    if (stretches === undefined) {
      stretches = this.#build(key);
      if (yearsKept >= YEARS_KEPT) {
        for (const zone of zones.values()) zone.forget();
        yearsKept = 0;
      }
      this.#years.set(key, stretches);
      yearsKept++;
    }
    return stretches;
  }

  #build(year: number): readonly Stretch[] {
    if (year < FIRST_YEAR) return [beforeChanges(this.name)];
    const model = year < SETTLED_YEAR + KINDS_OF_YEAR ? year : sameKindOfYear(year);
    if (model === year) return stretchesBetween(clock(this.name), startOf(year), startOf(year + 1));
    const shift = startOf(year) - startOf(model);
    return this.#stretchesOf(model).map((stretch) => ({
      start: stretch.start + shift,
      end: stretch.end + shift,
      offset: stretch.offset,
      fresh: stretch.fresh + shift,
      reached: stretch.reached + shift,
    }));
  }
}

const UNCHANGING: Stretch = {
  start: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  offset: 0,
  fresh: Number.NEGATIVE_INFINITY,
  reached: Number.NEGATIVE_INFINITY,
};

/** Contains no second: what a zone remembers before it was asked. */
const NOWHERE: Stretch = { start: 0, end: 0, offset: 0, fresh: 0, reached: 0 };

function startOf(year: number): number {
  return firstDayOf(monthOf(year, 1)) * SECONDS_PER_DAY;
}

function sameKindOfYear(year: number): number {
  const weekday = weekdayOf(firstDayOf(monthOf(year, 1)));
  let model = SETTLED_YEAR;
  while (isLeapYear(model) !== isLeapYear(year) || weekdayOf(firstDayOf(monthOf(model, 1))) !== weekday) model++;
  return model;
}

function beforeChanges(name: string): Stretch {
  const end = startOf(FIRST_YEAR);
  const offset = offsetAt(clock(name), end - 1);
  return {
    start: Number.NEGATIVE_INFINITY,
    end,
    offset,
    fresh: Number.NEGATIVE_INFINITY,
    reached: Number.NEGATIVE_INFINITY,
  };
}

function stretchesBetween(format: Intl.DateTimeFormat, from: number, until: number): Stretch[] {
  const stretches: Stretch[] = [];
  let start = from - LOOK_BACK_SECONDS;
  let offset = offsetAt(format, start);
  let reached = start + offset;
  let sampled = start;
  while (sampled < until) {
    const next = Math.min(sampled + SAMPLE_SECONDS, until);
    const nextOffset = offsetAt(format, next);
    if (nextOffset !== offset) {
      const change = firstSecondOf(format, nextOffset, sampled, next);
      if (change > from && change < until) addStretch(stretches, from, start, change, offset, reached);
      if (change < until) {
        reached = change + offset;
        start = change;
        offset = nextOffset;
      }
    }
    sampled = next;
  }
  addStretch(stretches, from, start, until, offset, reached);
  return stretches;
}

/** A change before the year began is not the beginning of one of its stretches, but a fold may reach into it. */
function addStretch(to: Stretch[], from: number, start: number, end: number, offset: number, reached: number): void {
  const wall = Math.max(start, from) + offset;
  to.push({
    start: Math.max(start, from),
    end,
    offset,
    fresh: Math.max(reached, wall),
    reached: start < from ? wall : reached,
  });
}

function firstSecondOf(format: Intl.DateTimeFormat, offset: number, before: number, after: number): number {
  let low = before;
  let high = after;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(format, middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** Made anew for each year that is looked up: one holds tens of kilobytes, and is needed a few times in all. */
function clock(name: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** Whole seconds: local mean times of the past are given to the second. */
function offsetAt(format: Intl.DateTimeFormat, second: number): number {
  const shown = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(format.format(second * 1_000));
  if (shown === null) throw new Error("Intl.DateTimeFormat writes dates in an unknown way");
  const [month, day, year, hour, minute, seconds] = shown.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const wall = (firstDayOf(monthOf(year, month)) + day - 1) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + seconds;
  return wall - second;
}
