import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";
import type { DiffLine } from "./spec-diff.ts";

/** More than these nobody reads. */
const LINES_MAX = 200;
const VALUE_MAX = 2_000;

/** What came and what went, as lines. The sign stands in words for whoever cannot see it. */
export function DiffLines({ label, lines }: { label: string; lines: readonly DiffLine[] }) {
  if (lines.length === 0) return <p className="text-muted">Nothing differs.</p>;
  return (
    <>
      <ul aria-label={label} className="border-line overflow-hidden rounded-md border font-mono text-xs leading-5">
        {lines.slice(0, LINES_MAX).map(({ sign, path, value }) => (
          <li
            key={`${sign} ${path}`}
            className={cx("flex gap-2 px-2 [overflow-wrap:anywhere]", sign === "+" ? "bg-ok/10" : "bg-bad/10")}
          >
            <span aria-hidden className={cx("shrink-0 font-bold select-none", sign === "+" ? "text-ok" : "text-bad")}>
              {sign === "+" ? "+" : "−"}
            </span>
            <span className="sr-only">{sign === "+" ? "added:" : "removed:"}</span>
            <span className="min-w-0">
              <span className="text-muted">{path === "" ? "the whole" : path}:</span>{" "}
              {value.length > VALUE_MAX ? `${value.slice(0, VALUE_MAX)}…` : value}
            </span>
          </li>
        ))}
      </ul>
      {lines.length > LINES_MAX && (
        <p className="text-muted mt-2 text-xs">And {numberText(lines.length - LINES_MAX)} lines more.</p>
      )}
    </>
  );
}
