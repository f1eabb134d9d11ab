import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Stats } from "punctual/client";
import type { ReactNode } from "react";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { useRefresh } from "../../app/refresh.ts";
import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";
import { errorText, Notice } from "../../ui/notice.tsx";
import { TONE_TEXT, type Tone } from "../../ui/state-badge.tsx";
import { clockText, useZone } from "../../ui/zone.ts";
import type { EXECUTION_TABS } from "../executions/search.ts";
import { percentText, ranOf } from "./health-findings.ts";
import type { Window } from "./search.ts";

const REFRESH_MS = 15_000;

interface Figure {
  label: string;
  value: number;
  about: string;
  /** The colour, where the number asks for attention. */
  tone?: Tone | false;
  /** Which executions it counts, where the list of them can show just those. */
  filter?: { state?: (typeof EXECUTION_TABS)[number] };
}

/** How much happened. What could not be read is a dash with the reason, never a zero. */
export function Figures({ window }: { window: Window }) {
  const client = useClient();
  const zone = useZone();
  const { data, error, dataUpdatedAt, isPlaceholderData } = useQuery({
    ...reads.totals(client, window),
    refetchInterval: useRefresh(REFRESH_MS),
  });
  const shown = isPlaceholderData ? undefined : data;
  return (
    <section aria-label={`Figures of the last ${window}`} className="flex flex-col gap-2">
      <dl className="border-line bg-line grid grid-cols-2 gap-px overflow-hidden rounded-lg border sm:grid-cols-6 lg:grid-cols-5">
        {shown === undefined
          ? LABELS.map((label) => (
              <Tile key={label} label={label} value="–" about={error ? "not known" : "being read"} />
            ))
          : figuresOf(shown).map((figure) => (
              <Tile
                key={figure.label}
                label={figure.label}
                value={<FigureValue {...figure} from={shown.from} />}
                about={figure.about}
                tone={figure.tone}
              />
            ))}
      </dl>
      {error !== null && (
        <Notice tone="warn" role="status">
          {shown === undefined
            ? `The figures could not be read: ${errorText(error)}`
            : `These figures are from ${clockText(new Date(dataUpdatedAt), zone)}; they could not be read again: ${errorText(error)}`}
        </Notice>
      )}
    </section>
  );
}

const LABELS = ["Fired", "Succeeded", "Failed", "Late", "Skipped"] as const;

function figuresOf({ totals, from, to, lateAfterMs }: Stats): Figure[] {
  const { succeeded = 0, failed = 0, unknown = 0, late = 0, skipped = 0 } = totals;
  const ran = ranOf(totals);
  const share = (part: number) => (ran === 0 ? "nothing ran" : `${percentText(part / ran)} of what ran`);
  return [
    { label: "Fired", value: ran, about: rateText(ran, Date.parse(to) - Date.parse(from)), filter: {} },
    { label: "Succeeded", value: succeeded, about: share(succeeded), filter: { state: "succeeded" } },
    {
      label: "Failed",
      value: failed,
      about: unknown > 0 ? `and ${numberText(unknown)} with unknown outcome` : share(failed),
      tone: failed > 0 && "bad",
      filter: { state: "failed" },
    },
    { label: "Late", value: late, about: `by ${durationText(lateAfterMs)} or more`, tone: late > 0 && "warn" },
    {
      label: "Skipped",
      value: skipped,
      about: skipped === 1 ? "instant" : "instants",
      tone: skipped > 0 && "warn",
      filter: { state: "skipped" },
    },
  ];
}

/** In the unit in which it is a number one can picture. */
function rateText(count: number, ms: number): string {
  const [unit, size] =
    [["a second", 1_000] as const, ["a minute", 60_000] as const].find(([, each]) => (count * each) / ms >= 1) ??
    (["an hour", 3_600_000] as const);
  const rate = (count * size) / ms;
  return `${rate < 10 ? Math.round(rate * 10) / 10 : numberText(Math.round(rate))} ${unit}`;
}

function FigureValue({ label, value, filter, from }: Figure & { from: string }) {
  const text = numberText(value);
  if (filter === undefined) return text;
  return (
    <Link
      to="/executions"
      search={{ ...filter, from }}
      aria-label={`${label}: ${text}; show them`}
      // The whole tile can be pressed.
      className="underline-offset-4 after:absolute after:inset-0 hover:underline"
    >
      {text}
    </Link>
  );
}

function Tile({
  label,
  value,
  about,
  tone,
}: {
  label: string;
  value: ReactNode;
  about: string;
  tone?: Tone | false | undefined;
}) {
  return (
    // Five in one row, in rows of three and two, or in pairs: none leaves a hole.
    <div className="bg-surface has-[a:hover]:bg-raised relative flex flex-col px-4 py-3 last:col-span-2 sm:col-span-2 sm:nth-[n+4]:col-span-3 lg:col-span-1 lg:nth-[n+4]:col-span-1">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className={cx("text-2xl leading-8 font-semibold tracking-tight", tone ? TONE_TEXT[tone] : "")}>{value}</dd>
      <dd className="text-muted text-xs">{about}</dd>
    </div>
  );
}
