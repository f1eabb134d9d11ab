import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { JobTextFilter } from "../../app/job-text-filter.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Segments } from "../../ui/segments.tsx";
import type { TimelineSearch } from "./search.ts";
import { SPANS, shifted, windowOf } from "./timeline-window.ts";

/** Which stretch of time: its length, earlier, later, and back to now. */
export function TimeControls({ search }: { search: TimelineSearch }) {
  const { span = "24h", at } = search;
  const { at: _, ...now } = search;
  const window = windowOf(span, at, Date.now());
  return (
    <>
      <div className="flex items-center gap-1">
        <Step search={{ ...search, at: shifted(window, -1) }} label="Earlier">
          <ChevronLeft aria-hidden className="size-4" />
        </Step>
        <Link to="/timeline" search={now} replace resetScroll={false} className={buttonClass()}>
          Now
        </Link>
        <Step search={{ ...search, at: shifted(window, 1) }} label="Later">
          <ChevronRight aria-hidden className="size-4" />
        </Step>
      </div>
      <Segments
        label="How much time is shown"
        segments={SPANS.map((each) => ({ label: each, current: each === span, search: { ...search, span: each } }))}
      />
    </>
  );
}

function Step({ search, label, children }: { search: TimelineSearch; label: string; children: React.ReactNode }) {
  return (
    <Link
      to="/timeline"
      search={search}
      replace
      resetScroll={false}
      aria-label={label}
      title={label}
      className={buttonClass({}, "w-8 !px-0")}
    >
      {children}
    </Link>
  );
}

/** Which jobs. */
export function JobControls({ search }: { search: TimelineSearch }) {
  const client = useClient();
  const navigate = useNavigate();
  const { tag = "", ...rest } = search;
  const filterBy = (q: string) => {
    const { q: _, ...others } = search;
    void navigate({ to: "/timeline", search: q === "" ? others : { ...others, q }, replace: true });
  };
  const { data } = useQuery(reads.jobCounts(client, {}));
  const tags = data?.tags.map((each) => each.tag) ?? [];
  const offered = tag === "" || tags.includes(tag) ? tags : [tag, ...tags];
  return (
    <>
      <JobTextFilter q={search.q ?? ""} onChange={filterBy} className="min-w-40 sm:max-w-xs" />
      {offered.length > 0 && (
        <Select
          aria-label="Tag"
          className="!w-auto max-w-44"
          options={[["", "All tags"], ...offered.map((each) => [each, each] as const)]}
          value={tag}
          onChange={(next) =>
            void navigate({ to: "/timeline", search: next === "" ? rest : { ...rest, tag: next }, replace: true })
          }
        />
      )}
    </>
  );
}
