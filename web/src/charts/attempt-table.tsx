import type { Attempt } from "punctual/client";
import { durationText } from "../ui/duration.ts";
import { outcomeLook } from "./attempt-outcome.ts";
import { phasesOf } from "./waterfall-layout.ts";
import { PIECE_LOOK, tookMs } from "./waterfall-pieces.ts";

const PHASES = ["dns", "connect", "tls", "firstByte", "body", "callback", "other"] as const;

/** The numbers behind the waterfall. */
export function AttemptTable({ attempts, now }: { attempts: readonly Attempt[]; now: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys
    <section className="max-h-96 overflow-auto" tabIndex={0} aria-label="Attempts, as a table">
      <table aria-label="Attempts and where their time went" className="w-full text-left text-xs">
        <thead>
          <tr className="text-muted">
            {["Attempt", "Outcome", ...PHASES.map((kind) => PIECE_LOOK[kind].label), "Took"].map((name) => (
              <th key={name} scope="col" className="py-1 pr-3 font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => {
            const phases = new Map(phasesOf(attempt, now).map(({ kind, ms }) => [kind, ms]));
            return (
              <tr key={attempt.number} className="border-line border-t">
                <th scope="row" className="py-1 pr-3 font-normal">
                  {attempt.number}
                </th>
                <td className="py-1 pr-3 whitespace-nowrap">{outcomeLook(attempt).text}</td>
                {PHASES.map((kind) => (
                  <td key={kind} className="py-1 pr-3 whitespace-nowrap">
                    {phases.has(kind) ? durationText(phases.get(kind)!) : "–"}
                  </td>
                ))}
                <td className="py-1 pr-3 whitespace-nowrap">{durationText(tookMs(attempt, now))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
