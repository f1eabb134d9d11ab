import { CirclePlay, Radio, RefreshCw } from "lucide-react";
import { createContext, type ReactNode, use, useEffect, useSyncExternalStore } from "react";
import type { Live, LiveState } from "../api/live.ts";
import { Button } from "../ui/button.tsx";
import { useNow } from "../ui/clock.ts";
import { Hint } from "../ui/hint.tsx";
import { Notice } from "../ui/notice.tsx";
import { TONE_TEXT, type Tone } from "../ui/state-badge.tsx";
import { clockText, useZone } from "../ui/zone.ts";

const LiveContext = createContext<Live | null>(null);

export function LiveProvider({ live, children }: { live: Live; children: ReactNode }) {
  useEffect(() => live.start(), [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): Live {
  const live = use(LiveContext);
  if (live === null) throw new Error("there is no live stream around this component");
  return live;
}

export function useLiveState(): LiveState {
  const live = useLive();
  return useSyncExternalStore(live.onState, () => live.state);
}

const LOOKS: Record<LiveState, { tone: Tone; text: string; about: string }> = {
  connecting: { tone: "idle", text: "Connecting", about: "The page is about to follow what happens." },
  live: { tone: "ok", text: "Live", about: "What happens is shown as it happens. Press to hold the page still." },
  reconnecting: { tone: "warn", text: "Reconnecting", about: "The connection was lost; it is sought again." },
  paused: { tone: "warn", text: "Paused", about: "The page holds still. Press to go on." },
};

/** Whether the page follows what happens; pressed, it holds still or goes on. */
export function LiveStatus() {
  const live = useLive();
  const state = useLiveState();
  const { tone, text, about } = LOOKS[state];
  const Icon = { connecting: RefreshCw, live: Radio, reconnecting: RefreshCw, paused: CirclePlay }[state];
  return (
    <Hint text={about}>
      <Button
        look="quiet"
        size="small"
        aria-pressed={state === "paused"}
        onClick={() => live.hold(state !== "paused")}
        icon={<Icon aria-hidden className={`size-3.5 ${TONE_TEXT[tone]}`} />}
      >
        {text}
      </Button>
    </Hint>
  );
}

/** Not at once: a blink of the connection is no news. */
const PATIENCE_MS = 3_000;

/** What is shown may be old: it says so, instead of looking as if all were well. */
export function StaleNotice() {
  const live = useLive();
  const state = useLiveState();
  const now = useNow();
  const zone = useZone();
  const { since } = live;
  if (since === null || now - since < PATIENCE_MS) return null;
  const at = clockText(new Date(since), zone);
  if (state === "paused")
    return (
      <Notice tone="warn" role="status">
        Paused: what is shown is from {at}, or from when you last opened a page.
      </Notice>
    );
  return (
    <Notice tone="bad" role="status">
      No connection to the server since {at}. What is shown is from then; the page catches up by itself.
    </Notice>
  );
}
