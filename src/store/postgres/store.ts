// The Store on PostgreSQL: every method is one of the statement files beside this one. A store can be bound to a transaction
// (`once`); then its methods are part of it.

import { IdSource } from "../../core/ids.ts";
import type { KeyRing } from "../../core/keyring.ts";
import type { DeadLetterStore, ExecutionStore } from "../port/executions.ts";
import type { RetentionStore } from "../port/instance.ts";
import type { JobStore, TriggerRequest, TriggerStore } from "../port/jobs.ts";
import type { PlanningStore, QueueStore } from "../port/queue.ts";
import type { Store } from "../port.ts";
import { accountStore } from "./accounts.ts";
import { apiKeyStore } from "./api-keys.ts";
import { auditStore } from "./audit.ts";
import { awaitCallback, findCallback } from "./await-callback.ts";
import { cancelExecutions, finalState } from "./cancel-execution.ts";
import { createJob, deleteJob, editJob, pauseJob, resumeJob } from "./change-job.ts";
import { claimDue, readClaims } from "./claim-due.ts";
import { claimHandlers } from "./claim-handlers.ts";
import { codeJobStore } from "./code-jobs.ts";
import { countExecutions } from "./count-executions.ts";
import { countFiringAt } from "./count-firing-at.ts";
import { countJobs } from "./count-jobs.ts";
import { countJobsByState } from "./count-jobs-by-state.ts";
import { Database, isUnavailable, type Queryable, statement } from "./database.ts";
import { deadLetterGroups } from "./dead-letter-groups.ts";
import { discardDeadLetters } from "./discard-dead-letters.ts";
import { dueHandlers } from "./due-handlers.ts";
import { NotifyBus } from "./event-bus.ts";
import { failingJobs } from "./failing-jobs.ts";
import { findExecution } from "./find-execution.ts";
import { findJob } from "./find-job.ts";
import { type Caller, GatheredByCaller } from "./gathered-triggers.ts";
import { giveBack } from "./give-back.ts";
import { endedAs, held, heldClaims, saveProgress } from "./held-claims.ts";
import { once } from "./idempotency.ts";
import { jobStats } from "./job-stats.ts";
import { jobSteps } from "./job-steps.ts";
import { findJobVersion, listJobVersions } from "./job-versions.ts";
import { jobWindowCounts } from "./job-window-counts.ts";
import { keptFor } from "./kept-for.ts";
import { latestExecutions } from "./latest-executions.ts";
import { listDeadLetters } from "./list-dead-letters.ts";
import { listExecutions } from "./list-executions.ts";
import { listJobs } from "./list-jobs.ts";
import { logStore } from "./logs.ts";
import { matchingDeadLetters } from "./matching-dead-letters.ts";
import { matchingExecutions } from "./matching-executions.ts";
import { matchingJobs } from "./matching-jobs.ts";
import { memberStore } from "./members.ts";
import { minuteCounts, openDeadLetters, stepCounts, windowCounts } from "./minute-counts.ts";
import { nodeStore } from "./nodes.ts";
import { moveCursors, readOutdatedZones } from "./outdated-zones.ts";
import { dropPartitionsBefore, ensurePartitions, withPartitions } from "./partitions.ts";
import { projectStore } from "./projects.ts";
import { queueLag } from "./queue-lag.ts";
import { promoteDue, queueDepth, readPayloads } from "./queue-look.ts";
import { readClock, readDueCursors } from "./read-due-cursors.ts";
import { readLost } from "./read-lost.ts";
import { readSpecs } from "./read-specs.ts";
import { readUntaken } from "./read-untaken.ts";
import { recentRuns } from "./recent-runs.ts";
import { releaseStuck, releaseWaiting } from "./release-waiting.ts";
import type { ChangeContext } from "./reschedule.ts";
import { resolveLate } from "./resolve-late.ts";
import { resolveOverlaps } from "./resolve-overlaps.ts";
import { retryDeadLetters, retryExecution } from "./retry-execution.ts";
import { PostgresSecrets } from "./secrets.ts";
import { sessionStore } from "./sessions.ts";
import { settleFinal } from "./settle-final.ts";
import { settleRetry } from "./settle-retry.ts";
import { settledBefore } from "./settled-before.ts";
import { shelveClaims } from "./shelve-claims.ts";
import { PostgresSigningKeys } from "./signing-keys.ts";
import { analyzeLedgerSql, elapsedPausesSql, expiredJobsSql, sweep } from "./sweep.ts";
import { timelineLanes } from "./timeline-lanes.ts";
import { trigger, triggerByKey, triggerEach, UnknownJobs } from "./trigger.ts";
import { type OnceItem, triggerEachOnce } from "./trigger-once.ts";
import { triggerWithin } from "./trigger-within.ts";
import { workerStore } from "./workers.ts";
import { writePlans } from "./write-plans.ts";

export interface PostgresStoreOptions {
  url: string;
  /** Where to listen for other nodes; null: nowhere. */
  listenUrl: string | null;
  prepared: boolean;
  connectionsMax: number;
  nodeId: string;
  keys: KeyRing;
  horizonMs: number;
  retentionMs: number;
  tzdata: string;
  onProblem: (event: string, fields: object) => void;
}

export const pingSql = statement("ping", "select current_setting('server_version') as version");

export function createPostgresStore(options: PostgresStoreOptions): Store {
  const db = new Database({
    url: options.url,
    prepared: options.prepared,
    connectionsMax: options.connectionsMax,
    onError: (error) => options.onProblem("database.connection_lost", { error }),
  });
  const events = new NotifyBus(db, {
    nodeId: options.nodeId,
    listenUrl: options.listenUrl,
    onProblem: options.onProblem,
  });
  const context: ChangeContext = {
    ids: new IdSource(),
    tzdata: options.tzdata,
    horizonMs: options.horizonMs,
    retentionMs: options.retentionMs,
  };
  // DDL goes over the direct connection where there is one: a pooler may not keep a session for it.
  const directUrl = options.listenUrl ?? options.url;

  const storeOn = (on: Queryable, ledger: LedgerGuard): Store => ({
    jobs: jobStore(on, context, ledger),
    triggers: triggerStore(on, context),
    codeJobs: codeJobStore(on, context, ledger),
    executions: executionStore(on, context, ledger),
    deadLetters: deadLetterStore(on, context),
    planning: planningStore(on, ledger),
    queue: queueStore(on, context, ledger),
    nodes: nodeStore(on),
    workers: workerStore(on),
    logs: logStore(on, ledger),
    retention: retentionStore(on, directUrl, context, ledger),
    secrets: new PostgresSecrets(on, options.keys),
    signingKeys: new PostgresSigningKeys(on, options.keys),
    projects: projectStore(on, context.ids, (tx) => new PostgresSigningKeys(tx, options.keys)),
    apiKeys: apiKeyStore(on),
    accounts: accountStore(on, context.ids),
    sessions: sessionStore(on, context.ids),
    members: memberStore(on),
    audit: auditStore(on),
    stats: {
      minutes: (projectId, window) => minuteCounts(on, projectId, window),
      totals: (projectId, window) => windowCounts(on, projectId, window),
      steps: (projectId, window) => stepCounts(on, projectId, window),
      openDeadLetters: (projectId) => openDeadLetters(on, projectId),
      lag: () => queueLag(on),
      job: (projectId, jobId, window) => jobStats(on, projectId, jobId, window),
      jobSteps: (projectId, jobId, window) => jobSteps(on, projectId, jobId, window),
      jobWindowCounts: (projectId, jobId, windows) => jobWindowCounts(on, projectId, jobId, windows),
      failing: (projectId, window, limit) => failingJobs(on, projectId, window, limit),
    },
    timeline: { lanes: (projectId, jobIds, window) => timelineLanes(on, projectId, jobIds, window) },
    events,
    now: () => readClock(on),
    ping: async () => {
      const sentAt = performance.now();
      const [row] = await on.run<{ version: string }>(pingSql, []);
      return { version: row!.version, latencyMs: performance.now() - sentAt };
    },
    // A missing day is made outside the transaction that met it, which is then done again from the start.
    once: (request, work) => ledger(() => once(on, (tx) => storeOn(tx, (inner) => inner()), request, work)),
    atomically: (work) => ledger(() => on.transaction((tx) => work(storeOn(tx, (inner) => inner())))),
    isUnavailable,
    pool: () => db.counts(),
    close: async () => {
      await events.close();
      await db.close();
    },
  });
  return storeOn(db, (work) => withPartitions(db, directUrl, work));
}

/** Runs work that writes to the ledger, making days that are missing. */
type LedgerGuard = <T>(work: () => Promise<T>) => Promise<T>;

function jobStore(db: Queryable, context: ChangeContext, ledger: LedgerGuard): JobStore {
  return {
    create: (projectId, edit, options) => ledger(() => createJob(db, context, projectId, edit, options)),
    edit: (projectId, idOrName, edit, options) =>
      ledger(() => editJob(db, context, projectId, idOrName, edit, options)),
    pause: (projectId, idOrName, options) => ledger(() => pauseJob(db, context, projectId, idOrName, options)),
    resume: (projectId, idOrName) => ledger(() => resumeJob(db, context, projectId, idOrName)),
    delete: (projectId, idOrName, options) => ledger(() => deleteJob(db, context, projectId, idOrName, options)),
    find: (projectId, idOrName) => findJob(db, projectId, idOrName),
    list: (projectId, filter, page) => listJobs(db, projectId, filter, page),
    count: (projectId, limit) => countJobs(db, projectId, limit),
    counts: (projectId, filter) => countJobsByState(db, projectId, filter),
    firingAt: (projectId, instant, options) => countFiringAt(db, projectId, instant, options),
    matching: (projectId, filter, limit) => matchingJobs(db, projectId, filter, limit),
    versions: (projectId, jobId, page) => listJobVersions(db, projectId, jobId, page),
    version: (projectId, jobId, version) => findJobVersion(db, projectId, jobId, version),
  };
}

function triggerStore(db: Queryable, { ids, horizonMs }: ChangeContext): TriggerStore {
  const gathered = new GatheredByCaller(({ projectId, actor }: Caller, items: TriggerRequest[]) =>
    triggerEach(db, ids, projectId, items, { actor, horizonMs }),
  );
  const gatheredOnce = new GatheredByCaller(({ projectId, actor }: Caller, items: OnceItem[]) =>
    triggerEachOnce(db, ids, projectId, items, { actor, horizonMs }),
  );
  return {
    triggerOne: (projectId, item, { actor }) =>
      item.key === undefined
        ? gathered.add({ projectId, actor }, item)
        : triggerByKey(db, ids, projectId, item, { actor, horizonMs }),
    triggerOnce: (projectId, item, { actor, once }) => gatheredOnce.add({ projectId, actor }, { ...item, once }),
    trigger: async (projectId, items, { actor }) => {
      try {
        const results = await trigger(db, ids, projectId, items, { actor, horizonMs });
        const unknown = results.filter((result) => result.kind === "not_found");
        return unknown.length > 0 ? unknown : results;
      } catch (error) {
        if (error instanceof UnknownJobs) return error.results;
        throw error;
      }
    },
    triggerWithin: (client, projectId, item, { actor }) =>
      triggerWithin(client, ids, projectId, item, { actor, horizonMs }),
  };
}

function executionStore(db: Queryable, { ids }: ChangeContext, ledger: LedgerGuard): ExecutionStore {
  return {
    find: (projectId, id) => findExecution(db, projectId, id),
    list: (projectId, filter, page) => listExecutions(db, projectId, filter, page),
    counts: (projectId, filter) => countExecutions(db, projectId, filter),
    latest: (projectId, jobIds, perJob) => latestExecutions(db, projectId, jobIds, perJob),
    recent: (projectId, jobIds) => recentRuns(db, projectId, jobIds),
    matching: (projectId, filter, limit) => matchingExecutions(db, projectId, filter, limit),
    cancel: async (projectId, id, { actor, reason }) => {
      const message = reason ?? `cancelled by ${actor}`;
      const [cancelled] = await ledger(() => cancelExecutions(db, projectId, [id], message));
      if (cancelled) {
        if (cancelled.waiting) await releaseWaiting(db, [cancelled.jobId]);
        return { kind: "cancelled", execution: (await findExecution(db, projectId, id))! };
      }
      const state = await finalState(db, projectId, id);
      return state === null ? { kind: "not_found" } : { kind: "wrong_state", state };
    },
    cancelMany: async (projectId, ids, { actor }) => {
      const reason = { code: "cancelled", message: `cancelled by ${actor}` };
      const cancelled = await ledger(() => cancelExecutions(db, projectId, ids, reason.message));
      const waiting = cancelled.filter((one) => one.waiting).map(({ jobId }) => jobId);
      await releaseWaiting(db, [...new Set(waiting)]);
      return cancelled.map(({ id, jobId }) => ({ id, jobId, reason }));
    },
    retry: (projectId, id, options) => retryExecution(db, ids, projectId, id, options),
  };
}

function deadLetterStore(db: Queryable, { ids }: ChangeContext): DeadLetterStore {
  return {
    list: (projectId, filter, page) => listDeadLetters(db, projectId, filter, page),
    groups: (projectId, filter, limit) => deadLetterGroups(db, projectId, filter, limit),
    matching: (projectId, filter, limit) => matchingDeadLetters(db, projectId, filter, limit),
    discard: (projectId, letters, { actor }) => discardDeadLetters(db, projectId, letters, actor),
    retry: (projectId, letters, { actor }) => retryDeadLetters(db, ids, projectId, letters, actor),
  };
}

function planningStore(db: Queryable, ledger: LedgerGuard): PlanningStore {
  return {
    readDueCursors: (options) => readDueCursors(db, options),
    writePlans: (plans) => ledger(() => writePlans(db, plans)),
    readOutdatedZones: (tzdata, limit) => readOutdatedZones(db, tzdata, limit),
    moveCursors: (moves, tzdata) => moveCursors(db, moves, tzdata),
    readSpecs: (keys) => readSpecs(db, keys),
  };
}

function queueStore(db: Queryable, { horizonMs }: ChangeContext, ledger: LedgerGuard): QueueStore {
  return {
    claimDue: (options) => claimDue(db, options),
    claimHandlers: (options) => claimHandlers(db, options),
    dueHandlers: (wanted) => dueHandlers(db, wanted),
    held: (holder) => held(db, holder),
    endedAs: (projectId, items) => endedAs(db, projectId, items),
    saveProgress: (items) => saveProgress(db, items),
    readUntaken: (limit) => readUntaken(db, limit),
    readClaims: (nodeId, tokens) => readClaims(db, nodeId, tokens),
    heldClaims: (nodeId, executionIds) => heldClaims(db, nodeId, executionIds),
    readPayloads: (ids) => readPayloads(db, ids),
    giveBack: (items) => giveBack(db, items),
    resolveOverlaps: (ids) => ledger(() => resolveOverlaps(db, ids)),
    resolveLate: (ids) => ledger(() => resolveLate(db, ids)),
    releaseWaiting: (jobIds) => releaseWaiting(db, jobIds),
    settleFinal: (items) => ledger(() => settleFinal(db, items)),
    settleRetry: (items) => settleRetry(db, items, horizonMs),
    settledBefore: (items) => settledBefore(db, items),
    awaitCallback: (item) => awaitCallback(db, item),
    findCallback: (id, claim) => findCallback(db, id, claim),
    readLost: (options) => readLost(db, options),
    shelveClaims: (limit) => shelveClaims(db, limit),
    promoteDue: (options) => promoteDue(db, options),
    releaseStuck: (limit) => releaseStuck(db, limit),
    depth: () => queueDepth(db),
  };
}

function retentionStore(db: Queryable, url: string, context: ChangeContext, ledger: LedgerGuard): RetentionStore {
  return {
    ensurePartitions: (fromMs, toMs) => ensurePartitions(db, url, fromMs, toMs),
    keptFor: (retentionMs) => keptFor(db, retentionMs),
    dropPartitionsBefore: (ms) => dropPartitionsBefore(db, url, ms),
    sweep: async (options) => {
      const expired = await db.run<{ id: string; project_id: string }>(expiredJobsSql, [options.limit]);
      for (const job of expired) await ledger(() => deleteJob(db, context, job.project_id, job.id, {}));
      return { ...(await sweep(db, options)), expiredJobs: expired.length };
    },
    analyze: async () => void (await db.run(analyzeLedgerSql, [])),
    resumeElapsedPauses: async (limit) => {
      const elapsed = await db.run<{ id: string; project_id: string }>(elapsedPausesSql, [limit]);
      for (const job of elapsed) await ledger(() => resumeJob(db, context, job.project_id, job.id));
      return elapsed.map((job) => job.id);
    },
  };
}
