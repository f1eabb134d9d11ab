import type { Job } from "punctual/client";
import { useMemo, useState } from "react";
import type { Selection } from "../../ui/data-table.tsx";
import type { Choice } from "./bulk-choice.ts";
import type { JobsSearch } from "./search.ts";

const NONE: ReadonlySet<string> = new Set();

/** Which jobs are chosen. With another filter it begins anew: what is no longer listed cannot be meant. */
export function useChosenJobs(search: JobsSearch, jobs: readonly Job[]) {
  const { sort: _, ...filter } = search;
  const place = JSON.stringify(filter);
  const [made, setMade] = useState({ place, chosen: NONE, matching: false });
  const { chosen, matching } = made.place === place ? made : { chosen: NONE, matching: false };
  const rows = useMemo(() => jobs.filter(({ id }) => matching || chosen.has(id)), [jobs, chosen, matching]);
  const selection: Selection = useMemo(
    () => ({
      chosen: new Set(rows.map(({ id }) => id)),
      change: (next) => setMade({ place, chosen: next, matching: false }),
    }),
    [rows, place],
  );
  const choice: Choice = matching ? { kind: "matching", search } : { kind: "rows", jobs: rows };
  return {
    rows,
    matching,
    choice,
    selection,
    chooseMatching: () => setMade({ place, chosen: NONE, matching: true }),
    clear: () => setMade({ place, chosen: NONE, matching: false }),
  };
}
