import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
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
  const bar = useRef<HTMLElement>(null);
  const current = tabs.findIndex((tab) => tab.current);
  // On a narrow screen the one that is open may lie beyond the edge, where nobody sees which it is.
  useEffect(() => {
    const tab = bar.current?.children[current];
    if (bar.current && tab) bar.current.scrollLeft += middleOf(tab) - middleOf(bar.current);
  }, [current]);
  return (
    <nav ref={bar} aria-label={label} className="border-line -mb-px flex gap-1 overflow-x-auto border-b">
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

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}
