export type CronField = "second" | "minute" | "hour" | "day of month" | "month" | "day of week";

/** What a field may contain. */
export interface FieldRule {
  readonly field: CronField;
  readonly min: number;
  readonly max: number;
  /** The value after which the field begins anew: the largest, except where Sunday is both 0 and 7. */
  readonly last: number;
  /** Names in upper case and what they stand for. */
  readonly names: ReadonlyMap<string, number>;
  /** What a value may be, for messages. */
  readonly allowed: string;
}

export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

export const SECOND = numbers("second", 0, 59);
export const MINUTE = numbers("minute", 0, 59);
export const HOUR = numbers("hour", 0, 23);
export const DAY = numbers("day of month", 1, 31);
export const MONTH: FieldRule = {
  ...numbers("month", 1, 12),
  names: namesOf(MONTHS, 1),
  allowed: "1-12 or a name such as JAN",
};
export const WEEKDAY: FieldRule = {
  ...numbers("day of week", 0, 7),
  last: 6,
  names: namesOf(WEEKDAYS, 0),
  allowed: "0-7 or a name such as MON",
};

function numbers(field: CronField, min: number, max: number): FieldRule {
  return { field, min, max, last: max, names: new Map(), allowed: `${min}-${max}` };
}

/** Three letters or the whole word. */
function namesOf(words: readonly string[], first: number): ReadonlyMap<string, number> {
  return new Map(
    words.flatMap((word, index) => {
      const name = word.toUpperCase();
      return [[name, index + first] as const, [name.slice(0, 3), index + first] as const];
    }),
  );
}
