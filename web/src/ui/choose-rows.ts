import { useRef, useState } from "react";
import type { Selection } from "./data-table.tsx";

/** Chooses a row or not any more; `through`, all from the one before up to it. The same function for ever. */
export function useChoose<Row>(rows: readonly Row[], idOf: (row: Row) => string, selection: Selection | undefined) {
  const before = useRef<string | null>(null);
  const act = (id: string, through: boolean) => {
    if (selection === undefined) return;
    const next = new Set(selection.chosen);
    const ids = through ? between(rows.map(idOf), before.current, id) : [id];
    const add = !next.has(id);
    for (const each of ids) add ? next.add(each) : next.delete(each);
    before.current = id;
    selection.change(next);
  };
  const latest = useRef(act);
  latest.current = act;
  const [choose] = useState(() => (id: string, through: boolean) => latest.current(id, through));
  return choose;
}

function between(ids: readonly string[], from: string | null, to: string): readonly string[] {
  const ends = [from === null ? -1 : ids.indexOf(from), ids.indexOf(to)].toSorted((a, b) => a - b) as [number, number];
  return ends[0] === -1 ? [to] : ids.slice(ends[0], ends[1] + 1);
}
