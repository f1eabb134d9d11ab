import type { Attempt } from "punctual/client";
import type { PieceKind } from "./waterfall-layout.ts";

/** What the pieces are called, and their colours. */
export const PIECE_LOOK: Record<PieceKind, { label: string; colour: string }> = {
  wait: { label: "Wait before the start", colour: "var(--color-line-strong)" },
  dns: { label: "DNS", colour: "var(--color-odd)" },
  connect: { label: "Connect", colour: "var(--color-warn)" },
  tls: { label: "TLS", colour: "var(--color-bad)" },
  firstByte: { label: "First byte", colour: "var(--color-run)" },
  body: { label: "Body", colour: "var(--color-ok)" },
  run: { label: "Run", colour: "var(--color-run)" },
  callback: { label: "Wait for the callback", colour: "var(--color-line-strong)" },
  other: { label: "Other", colour: "var(--color-muted)" },
  backoff: { label: "Backoff", colour: "var(--color-line-strong)" },
};

/** Of one that runs: by now. */
export function tookMs({ startedAt, finishedAt }: Attempt, now: number): number {
  return Math.max(0, (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}
