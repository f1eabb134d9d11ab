import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleDashed, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { cx } from "../../ui/class-names.ts";
import { errorText } from "../../ui/notice.tsx";
import { TONE_TEXT, type Tone } from "../../ui/state-badge.tsx";
import { findingsOf, type Known, type Place, RECENT, wellText } from "./health-findings.ts";

const REFRESH_MS = 10_000;
const RECENT_MS = 15 * 60_000;

/** Whether all is well; if it is not, what is wrong and where to look. */
export function HealthLine() {
  const { known, loading } = useKnown();
  if (loading)
    return (
      <Frame tone="idle">
        <li>
          <Sentence icon={CircleDashed} tone="idle">
            Looking at how things stand…
          </Sentence>
        </li>
      </Frame>
    );
  const findings = findingsOf(known);
  const [worst] = findings;
  return (
    <Frame tone={worst?.tone ?? "ok"}>
      {worst === undefined && (
        <li>
          <Sentence icon={CircleCheck} tone="ok">
            {wellText(known)}
          </Sentence>
        </li>
      )}
      {findings.map(({ tone, text, place }) => (
        <li key={text}>
          <Sentence icon={tone === "bad" ? CircleAlert : TriangleAlert} tone={tone}>
            {text} {place !== null && <PlaceLink place={place} />}
          </Sentence>
        </li>
      ))}
    </Frame>
  );
}

const PLACE_CLASS = "text-accent whitespace-nowrap underline underline-offset-2";

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

function Frame({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <section aria-label="Health" className={cx("rounded-lg", TONE_TEXT[tone])}>
      <ul
        className={cx(
          "flex flex-col gap-1.5 rounded-lg border px-4 py-2.5",
          "border-[color-mix(in_oklab,currentColor_35%,transparent)] bg-[color-mix(in_oklab,currentColor_6%,transparent)]",
        )}
      >
        {children}
      </ul>
    </section>
  );
}

function Sentence({ icon: Icon, tone, children }: { icon: LucideIcon; tone: Tone; children: ReactNode }) {
  return (
    <p className="flex items-start gap-2.5">
      <Icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", TONE_TEXT[tone])} />
      <span className="text-ink min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  );
}

/** Everything the line is judged by. What failed to be read is named, also while there is something older. */
function useKnown(): { known: Known; loading: boolean } {
  const client = useClient();
  const refetchInterval = useRefresh(REFRESH_MS);
  const health = useQuery({ ...reads.health(client), refetchInterval });
  const stats = useQuery({ ...reads.totals(client, RECENT), refetchInterval });
  const handlers = useQuery({ ...reads.handlers(client), refetchInterval });
  const read = { "the health of the server": health, "the figures": stats, "the handlers": handlers };
  const unread = Object.entries(read)
    .filter(([, { error }]) => error !== null)
    .map(([what, { error }]) => ({ what, why: errorText(error) }));
  return {
    loading: [health, stats, handlers].some(({ isPending }) => isPending),
    known: { health: health.data, stats: stats.data, handlers: handlers.data?.items, unread },
  };
}
