import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleDashed, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { cx } from "../../ui/class-names.ts";
import { errorText } from "../../ui/notice.tsx";
import { TONE_TEXT, type Tone } from "../../ui/state-badge.tsx";
import { type Finding, findingsOf, type Known, type Place, RECENT, wellText } from "./health-findings.ts";

const REFRESH_MS = 10_000;
const RECENT_MS = 15 * 60_000;

/** Whether all is well; if it is not, what is wrong and where to look. */
export function HealthLine() {
  const { known, loading } = useKnown();
  if (loading)
    return (
      <Line icon={CircleDashed} tone="idle">
        <p role="status">Looking at how things stand…</p>
      </Line>
    );
  const findings = findingsOf(known);
  const [worst] = findings;
  if (worst === undefined)
    return (
      <Line icon={CircleCheck} tone="ok">
        <p>{wellText(known)}</p>
      </Line>
    );
  return (
    <Line icon={worst.tone === "bad" ? CircleAlert : TriangleAlert} tone={worst.tone}>
      {findings.length === 1 ? <FoundText {...worst} strong /> : <FindingList findings={findings} />}
    </Line>
  );
}

function FindingList({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {findings.map((finding, index) => (
        <li key={finding.text}>
          <FoundText {...finding} strong={index === 0} />
        </li>
      ))}
    </ul>
  );
}

function FoundText({ text, place, strong }: Finding & { strong: boolean }) {
  return (
    <p className="[overflow-wrap:anywhere]">
      <span className={strong ? "font-medium" : "text-muted"}>{text}</span>{" "}
      {place !== null && <PlaceLink place={place} />}
    </p>
  );
}

const PLACE_CLASS = "text-accent whitespace-nowrap underline-offset-2 hover:underline";

function PlaceLink({ place }: { place: Place }) {
  // To the minute: a link that changed with every second would be a new one each time it is drawn.
  const from = new Date(Math.floor((Date.now() - RECENT_MS) / 60_000) * 60_000).toISOString();
  if (place === "workers")
    return (
      <Link to="/workers" className={PLACE_CLASS}>
        Workers and nodes
      </Link>
    );
  if (place === "dead-letters")
    return (
      <Link to="/dead-letters" className={PLACE_CLASS}>
        Dead letters
      </Link>
    );
  if (place === "scheduled")
    return (
      <Link to="/executions" search={{ state: "scheduled", order: "asc" }} className={PLACE_CLASS}>
        What waits
      </Link>
    );
  return (
    <Link to="/executions" search={place === "failed" ? { state: "failed", from } : { from }} className={PLACE_CLASS}>
      {place === "failed" ? "What failed" : "Executions"}
    </Link>
  );
}

function Line({ icon: Icon, tone, children }: { icon: LucideIcon; tone: Tone; children: ReactNode }) {
  return (
    <section
      aria-label="Health"
      className={cx(
        "flex items-start gap-2.5 rounded-lg border px-4 py-3",
        "border-[color-mix(in_oklab,currentColor_35%,transparent)] bg-[color-mix(in_oklab,currentColor_7%,transparent)]",
        TONE_TEXT[tone],
      )}
    >
      <Icon aria-hidden className="mt-px size-[18px] shrink-0" />
      <div className="text-ink min-w-0">{children}</div>
    </section>
  );
}

/** Everything the line is judged by. What failed to be read is named, also while there is something older. */
function useKnown(): { known: Known; loading: boolean } {
  const client = useClient();
  const refetchInterval = useRefresh(REFRESH_MS);
  const health = useQuery({
    queryKey: ["nodes", "health"],
    queryFn: ({ signal }) => client.health.detailed({ signal }),
    refetchInterval,
  });
  const stats = useQuery({
    queryKey: ["stats", "totals", RECENT],
    queryFn: ({ signal }) => client.stats({ window: RECENT }, { signal }),
    refetchInterval,
  });
  const handlers = useQuery({
    queryKey: ["workers", "handlers"],
    queryFn: ({ signal }) => client.handlers.list({ signal }),
    refetchInterval,
  });
  const read = { "The server’s health": health, "The figures": stats, "The handlers": handlers };
  const unread = Object.entries(read)
    .filter(([, { error }]) => error !== null)
    .map(([what, { error }]) => ({ what, why: errorText(error) }));
  return {
    loading: [health, stats, handlers].some(({ isPending }) => isPending),
    known: { health: health.data, stats: stats.data, handlers: handlers.data?.items, unread },
  };
}
