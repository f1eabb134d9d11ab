// Where workers come to: they make themselves known, ask for work, say that they live, hand in results, and leave. The desk
// keeps nothing that matters: every node has one, a worker may speak to another at every call, and what it holds is in the
// queue, under its holder's id. Whoever lost a claim is refused by the queue itself, whatever it says here.

import { parseDuration } from "../contract/duration.ts";
import type { HandedOut, HEARTBEAT_STATUSES, Registration, Settlement } from "../contract/worker.ts";
import { WORKER_LEASE_MS } from "../contract/worker-rules.ts";
import { lost, timedOut } from "../core/handler-result.ts";
import { holderId } from "../core/ids.ts";
import { isoOf } from "../core/iso-time.ts";
import { storableJson } from "../core/storable-line.ts";
import type { LogBatch } from "../store/port/logs.ts";
import type { Claimed } from "../store/port/queue.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { claimKey } from "./claim-key.ts";
import { announceStarted, type ClaimedWork, loadWork, traceparentOf } from "./claimed-work.ts";
import { ForgottenClaims } from "./forgotten-claims.ts";
import { HandedOutClaims } from "./handed-out.ts";
import { KnownWorkers } from "./known-workers.ts";
import { type Asker, WaitingPolls } from "./waiting-polls.ts";
import { deadlineOf, isClaimToken, type SettledItem, WorkerResults, type WorkerResultsDeps } from "./worker-results.ts";

/** A worker ends its handlers itself when their time is over; this long it may take to say so. */
const OVERDUE_GRACE_MS = 5_000;

export interface WorkerDeskDeps extends WorkerResultsDeps {
  metrics: Metrics;
  monotonic: () => number;
}

type WorkerKey = { projectId: string; id: string };
type Named = { id: string; token: string };
type Status = (typeof HEARTBEAT_STATUSES)[number];

export type ClaimAnswer =
  | { kind: "executions"; executions: HandedOut[] }
  /** It is not known, or no longer: it has to register. */
  | { kind: "unknown" }
  /** It asks for what it did not register. */
  | { kind: "not_offered"; handler: string }
  /** So many wait at this node, or of this project, that there is no room for one more. */
  | { kind: "full" };

export class WorkerDesk {
  readonly #deps: WorkerDeskDeps;
  readonly #known: KnownWorkers;
  readonly #polls: WaitingPolls;
  readonly #forgotten: ForgottenClaims;
  readonly #handedOut = new HandedOutClaims();
  readonly #results: WorkerResults;

  constructor(deps: WorkerDeskDeps, options: { node: string }) {
    this.#deps = deps;
    this.#known = new KnownWorkers(deps.store.workers, deps.monotonic);
    this.#polls = new WaitingPolls(deps);
    this.#forgotten = new ForgottenClaims(deps.monotonic);
    this.#results = new WorkerResults(deps, options.node);
  }

  start(): void {
    this.#polls.start();
  }

  /** Whoever waits for work is answered now: the node is about to stop. */
  closePolls(): void {
    this.#polls.close();
  }

  async stop(): Promise<void> {
    await this.#polls.stop();
  }

  async register(
    { projectId, id }: WorkerKey,
    { name = id, handlers, lease }: Registration,
  ): Promise<{ leaseMs: number; heartbeatMs: number }> {
    const { store, log } = this.#deps;
    const leaseMs = lease === undefined ? WORKER_LEASE_MS : parseDuration(lease);
    this.#known.forget(projectId, id);
    const { joined } = await store.workers.register({ projectId, id, name, kind: "remote", handlers, leaseMs });
    if (joined) {
      log.info("worker.joined", { projectId, worker: name, workerId: id, handlers: handlers.map((one) => one.name) });
      await this.#tell("worker.joined", projectId, name);
    }
    return { leaseMs, heartbeatMs: Math.floor(leaseMs / 3) };
  }

  async claim(
    { projectId, id }: WorkerKey,
    { requestId, handlers, waitMs }: { requestId: string; handlers: { name: string; free: number }[]; waitMs: number },
    asker: Asker,
  ): Promise<ClaimAnswer> {
    let worker = await this.#known.heard(projectId, id);
    // It may have registered anew at another node.
    if (worker !== null && notOffered(worker, handlers)) worker = await this.#known.renew(projectId, id);
    if (worker === null) return { kind: "unknown" };
    const missing = notOffered(worker, handlers);
    if (missing !== undefined) return { kind: "not_offered", handler: missing.name };
    if (!this.#polls.hasRoomFor(projectId)) return { kind: "full" };
    const request = { projectId, holder: worker.holder, requestId, handlers };
    const { claimed, repeated } = await this.#polls.wait(request, waitMs, asker);
    const work = await loadWork(this.#deps, claimed);
    const given = work.map((one) => one.claimed);
    this.#handedOut.add(worker, given);
    if (!repeated) announceStarted(this.#deps, given);
    return { kind: "executions", executions: work.toSorted(byUrgency).flatMap((one) => handedOut(one) ?? []) };
  }

  /** Null: it is not known, or no longer: it has to register. */
  async heartbeat(
    { projectId, id }: WorkerKey,
    executions: (Named & { progress?: unknown })[],
  ): Promise<{ items: { id: string; status: Status }[]; drain: boolean } | null> {
    const { store } = this.#deps;
    const worker = await this.#known.renew(projectId, id);
    if (worker === null) return null;
    const held = await store.queue.held(worker.holder);
    const overdue = await this.#overdue(held);
    const running = held.filter((one) => !overdue.includes(one));
    const named = new Set(executions.map(({ id, token }) => claimKey(id, token)));
    const forgotten = this.#forgotten.among(worker, running, named);
    await this.#results.end(worker.name, overdue, timedOut());
    await this.#results.end(worker.name, forgotten, lost("the worker does not know of it any more"));
    const isHeld = heldAmong(running);
    await this.#saveProgress(executions.filter(isHeld));
    return { items: await this.#statuses(projectId, executions, isHeld), drain: worker.draining };
  }

  /** Also of one that is not known any more: what it hands in may have been written before. */
  async settle(worker: WorkerKey, items: Settlement[]): Promise<SettledItem[]> {
    const { projectId, id } = worker;
    const holder = holderId(projectId, id);
    const given = this.#handedOut.of(holder);
    const known = items.map((item) => given?.find(item));
    const heard = this.#known.heard(projectId, id);
    const settle = async () => {
      const allKnown = given !== null && !known.includes(undefined);
      const name = allKnown ? given.name : ((await heard)?.name ?? id);
      const claims = allKnown ? known : await this.#lookUp(worker, items, known);
      return await this.#results.settle({ projectId, name }, items, claims);
    };
    // Its lease is renewed while its results are written: neither has to wait for the other.
    const [settled] = await Promise.all([settle(), heard]);
    this.#handedOut.forget(holder, items);
    return settled;
  }

  /** Lines of executions that the worker does not hold are dropped. */
  async logs(
    worker: WorkerKey,
    items: (Named & Pick<LogBatch, "lines">)[],
  ): Promise<{ accepted: number; dropped: number }> {
    const isHeld = heldAmong(await this.#heldOf(worker, items));
    const batches = items.filter(isHeld).map(({ id, token, lines }) => ({ id, claim: token, lines }));
    const { accepted } = await this.#deps.store.logs.append(batches);
    return { accepted, dropped: items.reduce((sum, { lines }) => sum + lines.length, 0) - accepted };
  }

  /** What it still holds is given to others at once. */
  async leave({ projectId, id }: WorkerKey): Promise<void> {
    const { store, log } = this.#deps;
    const worker = await store.workers.find(projectId, id);
    if (worker === null) return;
    this.#known.forget(projectId, id);
    await store.workers.leave(projectId, id);
    const held = await store.queue.held(worker.holder);
    await this.#results.end(worker.name, held, lost("the worker left while it ran"));
    // Now that it holds nothing its row can go.
    if (held.length > 0) await store.workers.leave(projectId, id);
    this.#handedOut.forget(worker.holder);
    log.info("worker.left", { projectId, worker: worker.name, workerId: id, gaveBack: held.length });
    await this.#tell("worker.left", projectId, worker.name);
  }

  async #overdue(held: Claimed[]): Promise<Claimed[]> {
    const compiled = await this.#deps.jobs.load(held);
    const now = await this.#now();
    return held.filter((one) => now > deadlineOf(one, compiled(one)) + OVERDUE_GRACE_MS);
  }

  /** The claims of the items, those that are not known from the queue. */
  async #lookUp(worker: WorkerKey, items: Named[], known: (Claimed | undefined)[]): Promise<(Claimed | undefined)[]> {
    const held = await this.#heldOf(
      worker,
      items.filter((_, nth) => known[nth] === undefined),
    );
    const byKey = new Map(held.map((one) => [claimKey(one.id, one.claim), one]));
    return items.map(({ id, token }, nth) => known[nth] ?? byKey.get(claimKey(id, token)));
  }

  /** Those of the named that the worker holds; what it says of others has no effect. */
  async #heldOf({ projectId, id }: WorkerKey, items: Named[]): Promise<Claimed[]> {
    const tokens = items.map(({ token }) => token).filter(isClaimToken);
    if (tokens.length === 0) return [];
    const claims = new Set(items.map(({ id, token }) => claimKey(id, token)));
    const held = await this.#deps.store.queue.readClaims(holderId(projectId, id), tokens);
    return held.filter(({ id, claim }) => claims.has(claimKey(id, claim)));
  }

  async #statuses(
    projectId: string,
    executions: Named[],
    isHeld: (named: Named) => boolean,
  ): Promise<{ id: string; status: Status }[]> {
    const gone = executions.filter((named) => !isHeld(named) && isClaimToken(named.token));
    const ended = await this.#deps.store.queue.endedAs(
      projectId,
      gone.map(({ id, token }) => ({ id, claim: token })),
    );
    return executions.map((named) => {
      if (isHeld(named)) return { id: named.id, status: "ok" };
      return { id: named.id, status: ended.get(named.id) === "cancelled" ? "cancel" : "lost" };
    });
  }

  /** What is no small JSON value is not kept: how far something is must not cost the heartbeat that says so. */
  async #saveProgress(executions: (Named & { progress?: unknown })[]): Promise<void> {
    const items = executions.flatMap(({ id, token, progress }) => {
      if (progress === undefined) return [];
      const { json } = storableJson(progress);
      return json === null ? [] : [{ id, claim: token, progress: JSON.parse(json) }];
    });
    await this.#deps.store.queue.saveProgress(items);
  }

  async #tell(type: "worker.joined" | "worker.left", projectId: string, worker: string): Promise<void> {
    const timestamp = new Date(await this.#now()).toISOString();
    this.#deps.store.events.publish([{ type, timestamp, projectId, data: { worker } }]);
  }

  async #now(): Promise<number> {
    return this.#deps.clock.now() ?? (await this.#deps.store.now()).getTime();
  }
}

function notOffered<Wanted extends { name: string }>(worker: { handlers: { name: string }[] }, wanted: Wanted[]) {
  const offered = new Set(worker.handlers.map(({ name }) => name));
  return wanted.find(({ name }) => !offered.has(name));
}

function heldAmong(held: Claimed[]): (named: Named) => boolean {
  const claims = new Set(held.map(({ id, claim }) => claimKey(id, claim)));
  return ({ id, token }) => claims.has(claimKey(id, token));
}

function byUrgency(a: ClaimedWork, b: ClaimedWork): number {
  return b.claimed.priority - a.claimed.priority || a.claimed.runAt.getTime() - b.claimed.runAt.getTime();
}

function handedOut({ claimed, job, payload }: ClaimedWork): HandedOut | null {
  const { target, name } = job.spec;
  if (target.type !== "worker") return null;
  return {
    id: claimed.id,
    attempt: claimed.attempt,
    token: claimed.claim,
    handler: target.handler,
    payload,
    job: { id: claimed.jobId, name, version: claimed.version },
    trigger: claimed.trigger,
    scheduledAt: claimed.scheduledAt.toISOString(),
    deadline: isoOf(deadlineOf(claimed, job)),
    timeoutMs: job.timeoutMs,
    idempotencyKey: claimed.rootId,
    traceparent: traceparentOf(claimed),
  };
}
