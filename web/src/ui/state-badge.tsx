import {
  Ban,
  Check,
  CircleDashed,
  CircleHelp,
  CirclePause,
  Clock,
  LoaderCircle,
  type LucideIcon,
  RotateCcw,
  SkipForward,
  Trash2,
  X,
} from "lucide-react";
import type { ExecutionState, JobState } from "punctual/client";
import { cx } from "./class-names.ts";

interface Look {
  icon: LucideIcon;
  /** Colour, always beside a shape and a word. */
  tone: Tone;
}

export type Tone = "ok" | "bad" | "warn" | "run" | "odd" | "idle";

export const TONE_TEXT: Record<Tone, string> = {
  ok: "text-ok",
  bad: "text-bad",
  warn: "text-warn",
  run: "text-run",
  odd: "text-odd",
  idle: "text-idle",
};

export const EXECUTION_LOOK: Record<ExecutionState, Look> = {
  scheduled: { icon: Clock, tone: "idle" },
  running: { icon: LoaderCircle, tone: "run" },
  retrying: { icon: RotateCcw, tone: "warn" },
  succeeded: { icon: Check, tone: "ok" },
  failed: { icon: X, tone: "bad" },
  cancelled: { icon: Ban, tone: "idle" },
  skipped: { icon: SkipForward, tone: "warn" },
  unknown: { icon: CircleHelp, tone: "odd" },
};

const JOB_LOOK: Record<JobState, Look> = {
  active: { icon: Clock, tone: "ok" },
  paused: { icon: CirclePause, tone: "warn" },
  completed: { icon: Check, tone: "idle" },
  deleted: { icon: Trash2, tone: "idle" },
};

/** A newer server may know states that this page does not. */
const UNHEARD_OF: Look = { icon: CircleDashed, tone: "idle" };

export function ExecutionStateBadge({ state }: { state: ExecutionState }) {
  return <Badge {...(EXECUTION_LOOK[state] ?? UNHEARD_OF)} text={state} spins={state === "running"} />;
}

export function JobStateBadge({ state }: { state: JobState }) {
  return <Badge {...(JOB_LOOK[state] ?? UNHEARD_OF)} text={state} />;
}

/** A word with a shape and a colour. */
export function Badge({
  icon: Icon,
  tone,
  text,
  spins = false,
}: Partial<Look> & { tone: Tone; text: string; spins?: boolean }) {
  return (
    <span
      className={cx(
        "inline-flex items-center gap-1 rounded-full px-1.5 py-px text-xs font-medium whitespace-nowrap",
        "bg-[color-mix(in_oklab,currentColor_10%,transparent)]",
        TONE_TEXT[tone],
      )}
    >
      {Icon && <Icon aria-hidden className={cx("size-3.5", spins && "animate-spin")} strokeWidth={2.25} />}
      {text}
    </span>
  );
}
