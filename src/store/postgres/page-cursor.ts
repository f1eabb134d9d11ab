import { PunctualError } from "../../contract/errors.ts";

/**
 * Where a page ended, as clients carry it to the next: the list's order and the last row's place in it. A cursor of
 * another list or order is refused, because it would silently leave rows out.
 */
export function encodeCursor(order: string, place: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify([order, ...place])).toString("base64url");
}

export function decodeCursor(order: string, cursor: string): (string | number | null)[] {
  const parts = parse(cursor);
  if (parts === null || parts[0] !== order)
    throw new PunctualError(
      "invalid_cursor",
      `the cursor "${cursor.slice(0, 100)}" was not given out by this list in this order`,
    );
  return parts.slice(1);
}

function parse(cursor: string): (string | number | null)[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(parts) && parts.every(isPlain) ? parts : null;
  } catch {
    return null;
  }
}

function isPlain(part: unknown): part is string | number | null {
  return part === null || typeof part === "string" || typeof part === "number";
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id in a cursor; made up ones must not reach the database as a type error. */
export function cursorId(part: string | number | null | undefined, cursor: string): string {
  if (typeof part === "string" && UUID.test(part)) return part;
  throw new PunctualError("invalid_cursor", `the cursor "${cursor.slice(0, 100)}" was not given out by this list`);
}

/** The moment in a cursor, likewise. */
export function cursorInstant(part: string | number | null | undefined, cursor: string): Date {
  const moment = new Date(typeof part === "string" ? part : Number.NaN);
  if (moment.getTime() >= 0) return moment;
  throw new PunctualError("invalid_cursor", `the cursor "${cursor.slice(0, 100)}" was not given out by this list`);
}
