import { Link } from "@tanstack/react-router";
import { cx } from "./class-names.ts";

export interface Segment {
  label: string;
  current: boolean;
  /** The search of the address with this one chosen. */
  search: Record<string, unknown>;
}

/** A few choices side by side, one of which holds; the address has it. */
export function Segments({ label, segments }: { label: string; segments: readonly Segment[] }) {
  return (
    <nav aria-label={label} className="bg-surface border-line flex h-8 items-stretch rounded-md border p-0.5">
      {segments.map(({ label: text, current, search }) => (
        <Link
          key={text}
          to="."
          search={search as never}
          replace
          resetScroll={false}
          aria-current={current ? "true" : undefined}
          className={cx(
            "flex min-w-10 items-center justify-center rounded px-2 text-xs font-medium",
            current ? "bg-raised text-ink" : "text-muted hover:text-ink",
          )}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
