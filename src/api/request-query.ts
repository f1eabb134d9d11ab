import { PunctualError } from "../contract/errors.ts";

/** More than any route knows. */
const PARAMETERS_MAX = 100;

/**
 * The query as names and values. A name given twice becomes a list, which no parameter takes. Not for the router, which
 * asks for the query before anything can answer for its errors: it keeps the text, and the route reads it.
 */
export function readQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const pairs = text.split("&").filter((pair) => pair !== "");
  if (pairs.length > PARAMETERS_MAX)
    throw PunctualError.validation([
      {
        path: "query",
        code: "too_many",
        message: `has ${pairs.length} parameters; at most ${PARAMETERS_MAX} are read`,
      },
    ]);
  for (const pair of pairs) {
    const split = pair.indexOf("=");
    const name = decode(split < 0 ? pair : pair.slice(0, split));
    const value = split < 0 ? "" : decode(pair.slice(split + 1));
    const before = query[name];
    query[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new PunctualError(
      "validation_failed",
      `the query has "${text.slice(0, 60)}", which is not percent-encoded UTF-8`,
      {
        cause,
        details: [
          {
            path: "query",
            code: "invalid_encoding",
            message: "is not percent-encoded UTF-8",
            value: text.slice(0, 60),
          },
        ],
      },
    );
  }
}
