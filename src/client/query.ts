import type { z } from "zod";

/** A parameter as a caller may write it: one value or several, a time as a Date or as text. */
type Parameter<T> = T extends readonly (infer Item)[] ? Item | readonly Item[] : T extends Date ? Date | string : T;

/** The parameters that a route's query takes, all of which may be left out. */
export type QueryOf<Schema extends z.ZodType<object>> = {
  [Name in keyof z.output<Schema>]?: Parameter<Exclude<z.output<Schema>[Name], undefined>> | undefined;
};

type Value = string | number | boolean | Date | readonly (string | number)[] | null | undefined;
export type Query = Readonly<Record<string, Value>>;

/** `?a=1&b=x,y`, or nothing. What is undefined is left out. */
export function queryText(query: object): string {
  const pairs = Object.entries(query as Query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(written(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function written(value: NonNullable<Value>): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? value.join(",") : String(value);
}
