// How values come out of the database: for our own connections only, because the program that the library lives in may read
// its numbers and times otherwise.

import pg from "pg";

const { INT8, NUMERIC, TIMESTAMPTZ } = pg.types.builtins;
const parseAnyInstant = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date;

export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (format === "binary") return pg.types.getTypeParser(oid, format);
    if (oid === TIMESTAMPTZ) return parseInstant;
    return oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

const digit = (text: string, at: number) => text.charCodeAt(at) - 48;
const pair = (text: string, at: number) => digit(text, at) * 10 + digit(text, at + 1);

/**
 * The session's zone is UTC and instants have milliseconds, so one form is the rule: `2026-11-15 12:00:00.123+00`, with none
 * to three digits after the point. The driver's parser, which takes every form, has the exceptions.
 */
export function parseInstant(text: string): Date {
  const { length } = text;
  if (length < 22 || length > 26 || !text.endsWith("+00") || text[4] !== "-" || text[0] === "0")
    return parseAnyInstant(text);
  let ms = 0;
  for (let at = 20, unit = 100; at < length - 3; at += 1, unit /= 10) ms += digit(text, at) * unit;
  const date = [pair(text, 0) * 100 + pair(text, 2), pair(text, 5) - 1, pair(text, 8)] as const;
  return new Date(Date.UTC(...date, pair(text, 11), pair(text, 14), pair(text, 17), ms));
}
