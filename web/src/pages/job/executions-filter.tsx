import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { Job } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";
import { shortText, useZone } from "../../ui/zone.ts";
import { EXECUTION_TABS } from "../executions/search.ts";
import type { JobSearch } from "./search.ts";

/** Which of the job's executions are listed. */
export type ExecutionsFilter = Pick<JobSearch, "state" | "from" | "to">;

/** The states with how many there are of each; one leads to the list of those. */
export function StateLinks({ job, filter }: { job: Job; filter: ExecutionsFilter }) {
  const client = useClient();
  const { state: current, ...span } = filter;
  const { data } = useQuery({
    queryKey: ["executions", "counts of", job.id, span],
    queryFn: ({ signal }) => client.executions.counts({ jobId: job.id, ...span }, { signal }),
  });
  const total = data && EXECUTION_TABS.reduce((sum, state) => sum + data[state], 0);
  const countText = (count: number | undefined) => (count === undefined ? "" : numberText(count));
  return (
    <nav aria-label="States" className="flex flex-wrap gap-1.5">
      {([undefined, ...EXECUTION_TABS] as const).map((state) => (
        <Link
          key={state ?? "all"}
          from="/jobs/$job"
          to="."
          search={(before) => {
            const { state: _left, ...rest } = before;
            return { ...rest, ...(state ? { state } : {}) };
          }}
          replace
          resetScroll={false}
          aria-current={state === current ? "true" : undefined}
          className={cx(
            "border-line rounded-full border px-2.5 py-0.5 text-xs",
            state === current ? "bg-ink text-canvas border-transparent font-medium" : "bg-surface hover:bg-raised",
          )}
        >
          {state ?? "all"}{" "}
          <span className={state === current ? "" : "text-muted"}>
            {countText(state === undefined ? total : data?.[state])}
            {data?.complete === false && state === undefined ? "+" : ""}
          </span>
        </Link>
      ))}
    </nav>
  );
}

/** From when to when, where only a stretch of time is listed. */
export function SpanNote({ filter: { from, to } }: { filter: ExecutionsFilter }) {
  const zone = useZone();
  if (from === undefined && to === undefined) return null;
  const parts = [
    from === undefined ? "" : `from ${shortText(new Date(from), zone)}`,
    to === undefined ? "" : `until ${shortText(new Date(to), zone)}`,
  ];
  return (
    <p className="flex flex-wrap items-center gap-2">
      <span className="text-muted">Only {parts.filter(Boolean).join(" ")}</span>
      <Link
        from="/jobs/$job"
        to="."
        search={(before) => {
          const { from: _from, to: _to, ...rest } = before;
          return rest;
        }}
        replace
        resetScroll={false}
        className="text-accent inline-flex items-center gap-1 text-xs hover:underline"
      >
        <X aria-hidden className="size-3" /> Of all times
      </Link>
    </p>
  );
}
