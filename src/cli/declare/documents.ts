// Text in YAML or JSON as values whose places are known, so that whatever is wrong can be told with line and column.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
} from "yaml";

/** Anchors may be used by thousands of jobs; a few that refer to each other must not grow without end. */
const ALIASES_MAX = 10_000;
const DEPTH_MAX = 64;

/** What was meant by nearly everybody who writes an alias in a file of schedules. */
const QUOTES = "a value that begins with * needs quotes";

export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface FileProblem {
  place: Place;
  /** The job it is about, if it is about one. */
  job: string | null;
  /** The field of the job, such as `schedule.cron`. */
  field: string | null;
  message: string;
}

export interface PlacedValue {
  value: unknown;
  /** Where the field stands, or the innermost one around it that is there. */
  placeOf(path: readonly string[]): Place;
}

export function describePlace({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** All documents of a text. With problems there are no documents: half a file is not what anybody meant. */
export function readDocuments(text: string, file: string): { documents: PlacedValue[]; problems: FileProblem[] } {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const problem = (offset: number, message: string): FileProblem => {
    const { line, col } = lines.linePos(offset);
    return { place: { file, line, column: col }, job: null, field: null, message };
  };
  if (!Array.isArray(documents)) return { documents: [], problems: [] };
  const problems = documents
    .flatMap(({ errors, warnings }) =>
      [...errors, ...warnings].map(({ pos, message }) =>
        problem(pos[0], `this is not YAML: ${message}${/\balias\b/i.test(message) ? `; ${QUOTES}` : ""}`),
      ),
    )
    // What else is found on the same line is the echo of the first mistake.
    .filter(({ place }, i, all) => place.line !== all[i - 1]?.place.line);
  if (problems.length > 0) return { documents: [], problems };
  const values: PlacedValue[] = [];
  for (const document of documents) {
    const value = plainValue(document);
    const placeOf = (path: readonly string[]) => placeIn(document, lines, file, path);
    const loose = looseAlias(document);
    if (loose !== null)
      problems.push(problem(loose.offset, `"*${loose.name}" refers to an anchor that is not there; ${QUOTES}`));
    else if (value instanceof Error) problems.push(problem(0, `cannot be read: ${value.message}`));
    else if (depthOf(value) > DEPTH_MAX) {
      const message = `lies more than ${DEPTH_MAX} levels deep, or contains itself`;
      problems.push({ place: placeOf(deepestPath(value)), job: null, field: null, message });
    } else values.push({ value, placeOf });
  }
  return { documents: problems.length > 0 ? [] : values, problems };
}

function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    return error;
  }
}

/** The first alias whose anchor does not stand before it. */
function looseAlias(document: Document): { name: string; offset: number } | null {
  const anchors = new Set<string>();
  let loose: { name: string; offset: number } | null = null;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
        return undefined;
      }
      if (anchors.has(node.source)) return undefined;
      loose = { name: node.source, offset: node.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return loose;
}

/** Each part is looked at once, however often aliases lead to it; what leads back to itself has no end. */
function depthOf(value: unknown, known = new Map<unknown, number>()): number {
  if (typeof value !== "object" || value === null) return 0;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, Number.POSITIVE_INFINITY);
  const depth = 1 + Object.values(value).reduce((max: number, item) => Math.max(max, depthOf(item, known)), 0);
  known.set(value, depth);
  return depth;
}

/** As far as a place is worth telling: jobs, the job, its field. */
function deepestPath(value: unknown, steps = 3): string[] {
  const deepest =
    steps === 0 ? undefined : Object.entries(value ?? {}).find(([, item]) => depthOf(item) > DEPTH_MAX - 3);
  return deepest === undefined ? [] : [deepest[0], ...deepestPath(deepest[1], steps - 1)];
}

function placeIn(document: Document, lines: LineCounter, file: string, path: readonly string[]): Place {
  let node: unknown = document.contents;
  let offset = (node as Node | null)?.range?.[0] ?? 0;
  for (const step of path) {
    const inner = stepInto(isAlias(node) ? node.resolve(document) : node, step);
    if (inner === null) break;
    offset = inner.offset ?? offset;
    node = inner.node;
  }
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

function stepInto(node: unknown, step: string): { node: unknown; offset: number | undefined } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key }: Pair) => isScalar(key) && String(key.value) === step);
    return pair === undefined ? null : { node: pair.value, offset: (pair.key as Node).range?.[0] };
  }
  const item = isSeq(node) && /^\d+$/.test(step) ? (node.items[Number(step)] as Node | undefined) : undefined;
  return item === undefined ? null : { node: item, offset: item.range?.[0] };
}
