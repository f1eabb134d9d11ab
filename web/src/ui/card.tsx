import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

/** A part of a page with a heading. */
export function Card({
  title,
  aside,
  children,
  className,
  flush = false,
}: {
  title?: ReactNode;
  /** What stands at the right of the heading. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string | undefined;
  /** The content reaches the edges, as tables do. */
  flush?: boolean;
}) {
  return (
    <section className={cx("bg-surface border-line min-w-0 rounded-lg border", className)}>
      {(title !== undefined || aside !== undefined) && (
        <div className="border-line flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b px-4 py-2">
          <h2 className="text-sm font-semibold">{title}</h2>
          {aside}
        </div>
      )}
      <div className={flush ? "" : "p-4"}>{children}</div>
    </section>
  );
}

/** Name and value, one below the other on narrow screens. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="sm:grid sm:grid-cols-[max-content_1fr] sm:gap-x-6 sm:gap-y-2">
      {items.map(([name, value]) => (
        <div key={name} className="mb-2 last:mb-0 sm:contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
