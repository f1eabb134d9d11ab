import { yearOfDay } from "./calendar.ts";
import { FIRST_YEAR, modelOf, moved, offsetClock, type Stretch, stretchesOf } from "./stretch.ts";
import { SECONDS_PER_DAY } from "./wall.ts";

const UTC_NAMES = new Set(["utc", "etc/utc", "gmt", "etc/gmt", "uct", "etc/uct", "zulu", "etc/zulu"]);

/**
 * Names that the time zone library knows from its own past and IANA does not. The abbreviations are traps: BST is
 * Bangladesh there, not British Summer Time, and IST India, not Israel or Ireland. Bare offsets are understood by some
 * versions only, and a cluster may have several.
 */
const NOT_IANA =
  /^(?:A[CERS]T|AGT|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*|[+-].*)$/i;

/** No place has ever been as far from UTC, in either direction. */
const OFFSET_MAX_SECONDS = 16 * 3_600;

/** How many years of zones are remembered, at about 400 bytes each. Beyond it all are forgotten and found again. */
const YEARS_KEPT = 8_192;

const UNCHANGING: Stretch = {
  start: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  offset: 0,
  reached: Number.NEGATIVE_INFINITY,
  fresh: Number.NEGATIVE_INFINITY,
};

/** Contains no second: what a zone remembers before it is asked. */
const NOWHERE: Stretch = { start: 0, end: 0, offset: 0, reached: 0, fresh: 0 };

/** By name in lower case, as names are compared without it: there cannot be more than there are zones. */
const zones = new Map<string, Zone>();
let yearsKept = 0;

/** The zone of an IANA name; null if there is none. */
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
    offsetClock(name);
    return true;
  } catch {
    return false;
  }
}

/** A time zone: what the clock shows when. Years are looked up when they are first asked about, and remembered. */
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

  /** The stretches that begin with a change of the clock, after one second and up to another. */
  changes(after: number, until: number): Stretch[] {
    const changes: Stretch[] = [];
    for (let stretch = this.at(after); stretch.end <= until; ) {
      stretch = this.at(stretch.end);
      if (stretch.reached !== stretch.start + stretch.offset) changes.push(stretch);
    }
    return changes;
  }

  #stretchesOf(year: number): readonly Stretch[] {
    const key = Math.max(year, FIRST_YEAR - 1);
    return this.#years.get(key) ?? this.#remember(key);
  }

  #remember(year: number): readonly Stretch[] {
    const model = modelOf(year);
    const stretches = model === year ? stretchesOf(this.name, year) : moved(this.#stretchesOf(model), model, year);
    if (yearsKept >= YEARS_KEPT) {
      for (const zone of zones.values()) zone.#years.clear();
      yearsKept = 0;
    }
    this.#years.set(year, stretches);
    yearsKept++;
    return stretches;
  }
}
