import { Ban, Check, CircleDashed, LoaderCircle, type LucideIcon, TimerOff, Unplug, X } from "lucide-react";
import type { Attempt } from "punctual/client";
import type { Tone } from "../ui/state-badge.tsx";

const OUTCOME_LOOK: Record<
  NonNullable<Attempt["outcome"]> | "running",
  { icon: LucideIcon; tone: Tone; text: string }
> = {
  succeeded: { icon: Check, tone: "ok", text: "succeeded" },
  failed: { icon: X, tone: "bad", text: "failed" },
  timed_out: { icon: TimerOff, tone: "bad", text: "timed out" },
  lost: { icon: Unplug, tone: "odd", text: "lost" },
  cancelled: { icon: Ban, tone: "idle", text: "cancelled" },
  running: { icon: LoaderCircle, tone: "run", text: "running" },
};

/** A newer server may know outcomes that this page does not. */
export function outcomeLook({ outcome }: Pick<Attempt, "outcome">) {
  return OUTCOME_LOOK[outcome ?? "running"] ?? { icon: CircleDashed, tone: "idle" as const, text: String(outcome) };
}
