import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

export interface TabLink {
  label: string;
  count?: ReactNode;
  current: boolean;
  /** The search of the address with this tab open; the rest of the address stays. */
  search: Record<string, unknown>;
}

/** Tabs that are places: each has an address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className="border-line -mb-px flex gap-1 overflow-x-auto border-b">
      {tabs.map(({ label: text, count, current, search }) => (
        <Link
          key={text}
          to="."
          search={search as never}
          replace
          resetScroll={false}
          aria-current={current ? "page" : undefined}
          className={cx(
            "border-b-2 px-3 py-2 font-medium whitespace-nowrap",
            current ? "border-accent text-ink" : "text-muted hover:text-ink border-transparent",
          )}
        >
          {text}
          {count !== undefined && <span className="text-muted ml-1.5 text-xs font-normal">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
