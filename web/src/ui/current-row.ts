import { type RefObject, useRef } from "react";

/** The row that has the focus, and the way to the ones beside it. */
export function useCurrentRow<Row>(
  body: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
  scrollTo: (index: number) => void,
) {
  // A row that was scrolled away has lost the focus with its element; from there j and k go on all the same.
  const left = useRef<string | null>(null);
  const indexOf = (element: Element | null | undefined) => {
    const row = element?.closest<HTMLElement>("[data-index]");
    return row && body.current?.contains(row) ? Number(row.dataset.index) : -1;
  };
  const current = () => indexOf(document.activeElement);
  const focus = (step: 1 | -1) => {
    const now = current();
    const from = now === -1 ? rows.findIndex((row) => idOf(row) === left.current) : now;
    const to = from === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, from + step));
    scrollTo(to);
    // The row may have to be drawn first.
    requestAnimationFrame(() =>
      body.current
        ?.querySelector<HTMLElement>(`[data-index="${to}"] :is(a, button):not([tabindex="-1"])`)
        ?.focus({ preventScroll: true }),
    );
  };
  const remember = ({ target }: { target: Element }) => {
    const row = rows[indexOf(target)];
    if (row !== undefined) left.current = idOf(row);
  };
  return { current, focus, remember };
}
