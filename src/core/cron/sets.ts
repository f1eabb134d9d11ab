/** What the text of an expression means, as sets of numbers. Bit 0 stands for the first value of a field. */
export interface CronSets {
  /** Seconds and minutes in two halves of 30: JavaScript computes with 32 bits, not with 60. */
  secondsLow: number;
  secondsHigh: number;
  minutesLow: number;
  minutesHigh: number;
  hours: number;
  months: number;
  /** Plain days of the month. */
  days: number;
  /** `L-n`: bit n. `L` is `L-0`. */
  daysBeforeLast: number;
  /** `nW`: bit n - 1. */
  nearestWeekdays: number;
  /** Plain days of the week, Sunday first. */
  weekdays: number;
  /** `d#1` to `d#4`, seven bits each. */
  nthWeekdays: number;
  /** `d#5`. */
  fifthWeekdays: number;
  /** `dL`. */
  lastWeekdays: number;
  flags: number;
}

/** The day of the month leaves the decision to the day of the week. */
export const ANY_DAY = 1;
/** The other way round. */
export const ANY_WEEKDAY = 2;
/** `LW`. */
export const LAST_WORKDAY = 4;
/** Second, minute or hour begins with `*`: elapsed time counts where clocks change, not what they show. */
export const ELAPSED = 8;
