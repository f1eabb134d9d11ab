import type { z } from "zod";
import { type Problem, PunctualError } from "./errors.ts";

const VALUE_SHOWN_MAX = 200;
/** Of one object: a body may be full of them, and each would be put into words. */
const UNKNOWN_KEYS_MAX = 1_000;

/** Parses or throws `validation_failed`, naming every field that is wrong with the value seen. */
export function parseOrThrow<T>(schema: z.ZodType<T>, input: unknown, base = ""): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw PunctualError.validation(problemsOf(parsed.error, input, base));
}

/** The same for what holds a secret: the values seen are not repeated. */
export function parseSecretOrThrow<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw PunctualError.validation(problemsOf(parsed.error, input).map(({ value: _, ...problem }) => problem));
}

export function problemsOf(error: z.ZodError, input: unknown, base = ""): Problem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, input, base));
}

function problemsOfIssue(issue: z.core.$ZodIssue, input: unknown, base: string): Problem[] {
  const path = joinPath(base, issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, UNKNOWN_KEYS_MAX).map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      code: "unknown_field",
      // A schema that knows better (which field was meant) says so itself.
      message: issue.message.startsWith("Unrecognized key")
        ? `unknown field "${key}"; leave it out or check its spelling`
        : issue.message,
    }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch with the fewest complaints is the one that was meant.
    const branches = issue.errors.map((issues) => issues.flatMap((inner) => problemsOfIssue(inner, input, base)));
    const best = branches.reduce((a, b) => (b.length < a.length ? b : a));
    if (best.length > 0)
      return best.map((problem) => ({ ...problem, path: problem.path === "" ? path : problem.path }));
  }
  const code = issue.code === "custom" ? ((issue.params?.code as string | undefined) ?? "invalid") : issue.code;
  // What should have been a secret is not repeated into answers and logs.
  const value = code === "use_secret" ? undefined : shown(valueAt(input, issue.path));
  return [
    { path: path === "" ? "body" : path, code, message: issue.message, ...(value === undefined ? {} : { value }) },
  ];
}

function joinPath(base: string, path: PropertyKey[]): string {
  return [base, ...path.map(String)].filter((part) => part !== "").join(".");
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** The value as it may be shown: long texts are cut, objects are not repeated. */
function shown(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > VALUE_SHOWN_MAX ? `${value.slice(0, VALUE_SHOWN_MAX).toWellFormed()}…` : value;
  return typeof value === "number" || typeof value === "boolean" || value === null ? value : undefined;
}
