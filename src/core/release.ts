// Which of two releases of a program is the newer. People number theirs in many ways: 42, 1.10.3, 2.0.0-rc.1, 2026-03-29.2,
// v7, build-118. All of them are put into one order, so that any two can be compared and nobody has to say which way it is:
// numbers count as numbers, a pre-release comes before its release (as semver has it), a date is its numbers. What has no
// number in front is text; all text comes before all numbers, so that a "dev" never takes anything from a "42".
//
// Not promised: sense in what has none. Of two commit hashes the order is fixed, but arbitrary.

/** Below zero: `a` is older than `b`; zero: they are the same release. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left.kind === "text" || right.kind === "text") {
    if (left.kind !== right.kind) return left.kind === "text" ? -1 : 1;
    return compareLists(naturalParts(a.trim()), naturalParts(b.trim()), "");
  }
  return compareLists(left.numbers, right.numbers, "0") || comparePrereleases(left.prerelease, right.prerelease);
}

type Release = { kind: "text" } | { kind: "numbered"; numbers: string[]; prerelease: string[] | null };

const SEMVER = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/;
const NUMBERS = /^\d+(?:[._:TZ-]+\d+)*Z?$/;
const NUMBERS_AND_WORD = /^(\d+(?:\.\d+)*)-?([A-Za-z][0-9A-Za-z.-]*)(?:\+.*)?$/;

function parse(release: string): Release {
  const text = release.trim().replace(/^v(?=\d)/i, "");
  const semver = SEMVER.exec(text);
  if (semver === null && NUMBERS.test(text))
    return { kind: "numbered", numbers: text.match(/\d+/g)!, prerelease: null };
  const [, numbers, prerelease] = semver ?? NUMBERS_AND_WORD.exec(text) ?? [];
  if (numbers === undefined) return { kind: "text" };
  return { kind: "numbered", numbers: numbers.split("."), prerelease: prerelease?.split(".") ?? null };
}

function comparePrereleases(a: string[] | null, b: string[] | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareLists(a.flatMap(naturalParts), b.flatMap(naturalParts), "");
}

/** `build-118` is "build-", "118". */
function naturalParts(text: string): string[] {
  return text.match(/\d+|\D+/g) ?? [];
}

/** Where one list is over, `padding` stands in for what it lacks. */
function compareLists(a: string[], b: string[], padding: string): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = comparePart(a[i] ?? padding, b[i] ?? padding);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing comes first, then numbers, then words. Numbers may be longer than JavaScript counts. */
function comparePart(a: string, b: string): number {
  const [left, right] = [a, b].map((part) => (part === "" ? 0 : /^\d/.test(part) ? 1 : 2));
  if (left !== right) return left! - right!;
  if (left !== 1) return a < b ? -1 : Number(a > b);
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || (x < y ? -1 : Number(x > y));
}
