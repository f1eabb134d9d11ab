import { useNow } from "./clock.ts";
import { durationText, roughDurationText } from "./duration.ts";
import { Hint } from "./hint.tsx";
import { absoluteText, shortText, useZone } from "./zone.ts";

/** When, seen from now; the hint has the date, the clock and the zone. */
export function Time({ at }: { at: string | Date }) {
  const now = useNow();
  const zone = useZone();
  const date = new Date(at);
  return (
    <Hint text={absoluteText(date, zone)}>
      <time dateTime={date.toISOString()} className="whitespace-nowrap">
        {relativeText(date.getTime() - now)}
      </time>
    </Hint>
  );
}

/** Date and clock, with how far away it is behind it: for pages that have the room. */
export function FullTime({ at }: { at: string | Date }) {
  const now = useNow();
  const zone = useZone();
  const date = new Date(at);
  return (
    <Hint text={absoluteText(date, zone)}>
      <time dateTime={date.toISOString()}>
        <span className="whitespace-nowrap">{shortText(date, zone)}</span>{" "}
        <span className="text-muted whitespace-nowrap">({relativeText(date.getTime() - now)})</span>
      </time>
    </Hint>
  );
}

export function Duration({ ms }: { ms: number | null }) {
  return ms === null ? (
    <span className="text-muted">–</span>
  ) : (
    <span className="whitespace-nowrap">{durationText(ms)}</span>
  );
}

export function relativeText(fromNowMs: number): string {
  if (Math.abs(fromNowMs) < 1_000) return "now";
  const length = roughDurationText(fromNowMs);
  return fromNowMs > 0 ? `in ${length}` : `${length} ago`;
}
