// The syntax of `{{path}}` in a target's URL, headers, query and body, or a command's arguments and environment. Only the
// syntax is here: the values are filled in at send time (targets/template.ts), and a filled-in value is never read as a
// template again.

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH =
  /^(?:payload(?:\.[^.\s{}]+)*|job\.(?:name|id)|execution\.(?:id|scheduledAt)|attempt|secrets\.[A-Za-z_][A-Za-z0-9_]{0,127})$/;

export interface Placeholder {
  /** The text as written, braces included. */
  raw: string;
  /** `payload.a.b`, `job.name`, `secrets.TOKEN`… */
  path: string;
  start: number;
  end: number;
}

/** The placeholders of a text, in order. Spaces inside the braces do not count. */
export function placeholders(template: string): Placeholder[] {
  return [...template.matchAll(PLACEHOLDER)].map((match) => ({
    raw: match[0],
    path: match[1]!.trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** What is wrong with a template, or null. */
export function templateProblem(template: string): string | null {
  for (const { raw, path } of placeholders(template)) {
    if (!PATH.test(path))
      return `${raw} is not a known path; use payload…, job.name, job.id, execution.id, execution.scheduledAt, attempt or secrets.NAME`;
  }
  return null;
}

/** True if every placeholder-bearing part of the value comes from a secret, so that nothing sensitive is in plain text. */
export function usesSecret(template: string): boolean {
  return placeholders(template).some(({ path }) => path.startsWith("secrets."));
}

/** Calls `visit` for every string in a JSON value (keys are not templates). */
export function eachString(value: unknown, path: string[], visit: (text: string, path: string[]) => void): void {
  if (typeof value === "string") visit(value, path);
  else if (typeof value === "object" && value !== null)
    for (const [key, member] of Object.entries(value)) eachString(member, [...path, key], visit);
}
