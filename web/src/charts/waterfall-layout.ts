// Where the time of an execution went, as pieces one after the other: the wait before it started, the parts of each attempt, the
// waits between attempts. Attempts of milliseconds with minutes between them would be invisible on one scale, so waits that
// would take most of the width share a fixed part of it, and are marked as drawn shorter than they were.

import type { Attempt, Execution } from "punctual/client";

export type PieceKind =
  | "wait"
  | "backoff"
  | "dns"
  | "connect"
  | "tls"
  | "firstByte"
  | "body"
  | "callback"
  | "run"
  | "other";

export interface Piece {
  kind: PieceKind;
  ms: number;
  /** Both as parts of the whole width, from 0 to 1. */
  x: number;
  width: number;
}

export interface WaterfallRow {
  /** null: the attempt that is still to come. */
  attempt: Attempt | null;
  pieces: Piece[];
}

export interface Waterfall {
  rows: WaterfallRow[];
  /** Waits are drawn shorter than they were. */
  squeezed: boolean;
}

/** What waits may take of the width before they are squeezed, and what they take then. */
const IDLE_SHARE = 0.4;

type Told = Pick<Execution, "state" | "trigger" | "scheduledAt" | "createdAt" | "runAt" | "attempts">;

/** When it should have started. A retry keeps the instant of what it repeats, and is due when it is asked for. */
export function dueAt({ trigger, scheduledAt, createdAt }: Pick<Execution, "trigger" | "scheduledAt" | "createdAt">) {
  return Date.parse(trigger === "retry" ? createdAt : scheduledAt);
}

export function waterfallOf(execution: Told, nowMs: number): Waterfall {
  const rows: { attempt: Attempt | null; pieces: { kind: PieceKind; ms: number }[] }[] = [];
  let freeSince = dueAt(execution);
  for (const attempt of execution.attempts ?? []) {
    const idle = {
      kind: rows.length === 0 ? "wait" : "backoff",
      ms: Date.parse(attempt.startedAt) - freeSince,
    } as const;
    rows.push({ attempt, pieces: [idle, ...phasesOf(attempt, nowMs)].filter(({ ms }) => ms > 0) });
    freeSince = attempt.finishedAt === null ? nowMs : Date.parse(attempt.finishedAt);
  }
  const toCome = Date.parse(execution.runAt) - freeSince;
  if (execution.state === "retrying" && toCome > 0)
    rows.push({ attempt: null, pieces: [{ kind: "backoff", ms: toCome }] });
  return placed(rows);
}

export function isIdle(kind: PieceKind): boolean {
  return kind === "wait" || kind === "backoff";
}

/** The parts of an attempt. Of one that runs, or that was no HTTP call, there is only how long it took. */
export function phasesOf(attempt: Attempt, nowMs: number): { kind: PieceKind; ms: number }[] {
  const { timings, response, startedAt, finishedAt } = attempt;
  const took = (finishedAt === null ? nowMs : Date.parse(finishedAt)) - Date.parse(startedAt);
  if (timings === null) return [{ kind: "run", ms: Math.max(took, 1) }];
  const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = timings;
  const rest = Math.max(0, totalMs - dnsMs - connectMs - tlsMs - firstByteMs);
  // Without an answer there is no body either: what is left was spent waiting for the first byte. But of a call that the network
  // failed and that shows no connection, nobody knows how far it came: a name that does not exist has no first byte to wait for.
  const nowhere = response === null && attempt.error?.code === "network" && connectMs === 0;
  const [firstByte, body] = response === null ? [firstByteMs + (nowhere ? 0 : rest), 0] : [firstByteMs, rest];
  return [
    { kind: "dns", ms: dnsMs },
    { kind: "connect", ms: connectMs },
    { kind: "tls", ms: tlsMs },
    { kind: "firstByte", ms: firstByte },
    { kind: "body", ms: body },
    // A target that only accepted the call reports its result later.
    { kind: response?.status === 202 ? "callback" : "other", ms: Math.max(0, took - totalMs) + (nowhere ? rest : 0) },
  ];
}

function placed(rows: { attempt: Attempt | null; pieces: { kind: PieceKind; ms: number }[] }[]): Waterfall {
  const all = rows.flatMap(({ pieces }) => pieces);
  const idle = sum(all.filter(({ kind }) => isIdle(kind)));
  const total = sum(all);
  const squeezed = idle < total && idle > IDLE_SHARE * total;
  const widthOf = ({ kind, ms }: { kind: PieceKind; ms: number }) => {
    if (!squeezed) return ms / total;
    return isIdle(kind) ? (IDLE_SHARE * ms) / idle : ((1 - IDLE_SHARE) * ms) / (total - idle);
  };
  let x = 0;
  return {
    squeezed,
    rows: rows.map(({ attempt, pieces }) => ({
      attempt,
      pieces: pieces.map((piece) => {
        const width = widthOf(piece);
        x += width;
        return { ...piece, x: x - width, width };
      }),
    })),
  };
}

function sum(pieces: readonly { ms: number }[]): number {
  return pieces.reduce((all, { ms }) => all + ms, 0);
}
