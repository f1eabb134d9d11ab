// What the database can keep, without schemas: workers check their results before they send them, and have no zod.

/** Deeper values are refused: nobody means them, and recursive readers downstream would have to fear them. */
const DEPTH_MAX = 64;

/**
 * PostgreSQL refuses U+0000 and halves of surrogate pairs in text and JSON, and one refused value fails a whole
 * batch. So nothing of the kind may enter: this finds the first such string and says where it is.
 */
export function findUnstorable(value: unknown, path = "", depth = 0): { path: string; message: string } | null {
  if (typeof value === "string") {
    const problem = unstorableText(value);
    return problem ? { path, message: problem } : null;
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth >= DEPTH_MAX) return { path, message: `is nested deeper than ${DEPTH_MAX} levels` };
  for (const [key, member] of Object.entries(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    const problem = unstorableText(key);
    if (problem) return { path: at, message: `has a key that ${problem}` };
    const inner = findUnstorable(member, at, depth + 1);
    if (inner) return inner;
  }
  return null;
}

/** What is wrong with a text, or null. */
export function unstorableText(text: string): string | null {
  if (text.includes("\u0000")) return "contains the character U+0000, which PostgreSQL cannot store";
  if (!text.isWellFormed()) return "contains half of a surrogate pair, which is not valid Unicode";
  return null;
}
