import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Input, Select } from "../../ui/field.tsx";
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
  const { data } = useQuery(reads.jobCounts(client, {}));
  const tags = data?.tags.map((each) => each.tag) ?? [];
  const offered = tag === "" || tags.includes(tag) ? tags : [tag, ...tags];
  return (
    <>
      <NameFilter search={search} />
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

/** Typing is not a question yet; a pause in it is. */
const TYPING_MS = 250;

function NameFilter({ search }: { search: TimelineSearch }) {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const { q = "" } = search;
  const [typed, setTyped] = useState(q);
  const [inAddress, setInAddress] = useState(q);
  // The address may change by other ways than this field: back, or a link.
  if (inAddress !== q) {
    setInAddress(q);
    if (typed.trim() !== q) setTyped(q);
  }
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === q) return;
    const timer = setTimeout(() => {
      const { q: _, ...rest } = search;
      void navigate({ to: "/timeline", search: wanted === "" ? rest : { ...rest, q: wanted }, replace: true });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, q, search, navigate]);
  useShortcuts([{ key: "/", about: "Filter the jobs", act: () => field.current?.select() }]);
  return (
    <div className="relative min-w-40 grow sm:max-w-xs">
      <Search aria-hidden className="text-muted pointer-events-none absolute top-2 left-2.5 size-4" />
      <Input
        ref={field}
        type="search"
        aria-label="Filter by name or description"
        placeholder="Filter by name or description"
        className="pl-8"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}
