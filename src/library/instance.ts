// A started program: the store, the engine that calls its functions, and what keeps its jobs declared.

import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { PunctualError } from "../contract/errors.ts";
import { holderId } from "../core/ids.ts";
import { HandlerClaims } from "../engine/claim-source.ts";
import type { Engine } from "../engine/engine.ts";
import { HandlerSlots } from "../engine/handler-slots.ts";
import { assembleEngine, openStore } from "../main/assembly.ts";
import { packageVersion } from "../main/package-version.ts";
import { resolveDataDir } from "../store/embedded/data-folder.ts";
import { type EmbeddedDatabase, startEmbedded } from "../store/embedded/embedded.ts";
import type { Store } from "../store/port.ts";
import { FunctionTargetRunner } from "../targets/function/runner.ts";
import { TargetRunners } from "../targets/runner.ts";
import type { Log } from "../telemetry/log.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { CodeJobs } from "./code-jobs.ts";
import type { DeclaredJobs } from "./declared-jobs.ts";
import { membership } from "./membership.ts";
import { EMBEDDED, type Options } from "./options.ts";

/** The time it lives in. */
export interface TimeBase {
  monotonic(): number;
  /** For the timestamps of events; nothing is decided by it. */
  clock(): Date;
  /** The URL of the same database, where its clock shows this time. */
  urlOf(databaseUrl: string): Promise<string>;
  close(): Promise<void>;
}

export interface Instance {
  readonly store: Store;
  readonly engine: Engine;
  readonly codeJobs: CodeJobs;
  readonly projectId: string;
  readonly clock: () => Date;
  /** Stops what was started, and lets go of the database. */
  close(): Promise<void>;
}

/** Nothing runs yet; the jobs are declared. */
export async function openInstance(options: Options, jobs: DeclaredJobs, time: TimeBase, log: Log): Promise<Instance> {
  const embedded = options.database === EMBEDDED ? await openEmbedded(options, log) : null;
  const undo: (() => Promise<unknown>)[] = [() => time.close(), async () => embedded?.stop()];
  try {
    const store = await openStore({
      nodeId: randomUUID(),
      databaseUrl: await time.urlOf(embedded?.url ?? options.database),
      listenUrl: options.listenUrl,
      prepared: options.prepared,
      connectionsMax: options.connections,
      // Functions need no secrets, and nothing else here seals or opens one.
      encryptionKeys: [randomBytes(32)],
      retentionMs: options.retentionMs,
      embedded,
      log,
    });
    undo.unshift(() => store.close());
    const projectId = await findProject(store, options.project);
    const engine = buildEngine(store, projectId, { options, jobs, time, log });
    const app = { projectId, name: options.app, release: options.release };
    const codeJobs = new CodeJobs({ store, log, clock: time.clock }, app, jobs.all(), options);
    await codeJobs.declare();
    return {
      store,
      engine,
      codeJobs,
      projectId,
      clock: time.clock,
      close: async () => {
        await codeJobs.stop();
        await engine.stop();
        for (const step of undo) await step();
      },
    };
  } catch (error) {
    for (const step of undo) await step().catch((problem) => log.warn("library.not_closed", { error: problem }));
    throw error;
  }
}

async function openEmbedded({ dataDir }: Options, log: Log): Promise<EmbeddedDatabase> {
  const resolved = resolveDataDir(dataDir === null ? {} : { configured: dataDir });
  return await startEmbedded({ dataDir: resolved.dataDir, log: (event, fields) => log.info(event, fields) });
}

async function findProject(store: Store, name: string): Promise<string> {
  const project = await store.projects.find(name);
  if (project !== null) return project.id;
  throw new PunctualError("not_found", `there is no project "${name}"; make it with: punctual projects create ${name}`);
}

function buildEngine(
  store: Store,
  projectId: string,
  { options, jobs, time, log }: { options: Options; jobs: DeclaredJobs; time: TimeBase; log: Log },
): Engine {
  const workerId = `${options.app}-${randomUUID()}`;
  const name = options.instance ?? `${options.app}@${hostname()}`;
  // The queue names whoever holds an execution by one id: as a worker and as a node it is the same.
  const id = holderId(projectId, workerId);
  const slots = new HandlerSlots(options.concurrency, jobs.offers());
  const handlers = new Map(jobs.all().map(({ handler }) => [handler.name, handler]));
  const worker = new FunctionTargetRunner(handlers, {
    slots,
    onStuck: ({ executionId, job }) => log.warn("handler.still_running", { executionId, job: job.name }),
  });
  return assembleEngine(
    {
      store,
      targets: new TargetRunners({ worker }),
      source: new HandlerClaims(store.queue, slots, { projectId, holder: id }),
      slots,
      members: membership(store, { projectId, id: workerId, name, handlers: jobs.offers() }),
      log,
      metrics: new Metrics(),
      monotonic: time.monotonic,
    },
    {
      node: {
        id,
        name,
        roles: ["planner", "dispatcher"],
        version: packageVersion(),
        concurrency: options.concurrency,
      },
      publicUrl: () => "",
      leaseMs: options.leaseMs,
      retentionMs: options.retentionMs,
      drainMs: options.drainMs,
    },
  );
}
