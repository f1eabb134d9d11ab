import type { JobSpec } from "punctual/client";
import { deliveryInWords, misfireInWords, overlapInWords, retryInWords, timeoutInWords } from "./policies-in-words.ts";

/** What holds when something is late, fails, or takes too long. */
export function Policies({ spec }: { spec: JobSpec }) {
  const items = [
    ["If it fails", retryInWords(spec.retry)],
    ["If one still runs", overlapInWords(spec.overlap)],
    ["If it is late", misfireInWords(spec.misfire)],
    ["Time allowed", timeoutInWords(spec)],
    ["Delivery", deliveryInWords(spec.delivery)],
    ["Priority", `${spec.priority} of 100; higher goes first.`],
  ] as const;
  return (
    <dl className="flex flex-col gap-3">
      {items.map(([name, text]) => (
        <div key={name}>
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="[overflow-wrap:anywhere]">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
