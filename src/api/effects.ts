// What a request wants to be told, written down or waited for once its effect is durable, and not before.

import type { EventType } from "../contract/events.ts";
import type { ActorKind } from "../store/port/audit.ts";
import type { Store } from "../store/port.ts";
import { auditEntry, type Noted } from "./audit-note.ts";
import type { ApiDeps } from "./deps.ts";
import type { Call } from "./route.ts";

interface Circumstances {
  actor: { kind: ActorKind; id: string; name: string };
  projectId: string;
  address: string;
  requestId: string;
}

/** The log tells who did it, and by whom a run was asked for; those of the schedule are told by the planner. */
const LOGGED_AS: Partial<Record<EventType, string>> = { "execution.scheduled": "execution.triggered" };

/** Of more than this one request's runs are logged as one line with their number; the ledger has each, and by whom. */
const RUNS_LOGGED_MAX = 20;

export class Effects {
  readonly #deps: ApiDeps;
  readonly #circumstances: Circumstances;
  readonly #notes: Noted[] = [];
  readonly #waits: (() => Promise<void>)[] = [];
  readonly #events: Parameters<Call["publish"]> = [];
  #wakes = false;

  constructor(deps: ApiDeps, circumstances: Circumstances) {
    this.#deps = deps;
    this.#circumstances = circumstances;
  }

  collectors(): Pick<Call, "publish" | "wake" | "note" | "tell" | "beforeAnswer"> {
    return {
      note: (noted) => void this.#notes.push(noted),
      tell: (action, noted) => this.#deps.store.audit.add([auditEntry(action, noted, this.#circumstances)]),
      beforeAnswer: (work) => void this.#waits.push(work),
      publish: (...events) => {
        this.#events.push(...events);
      },
      wake: () => {
        this.#wakes = true;
      },
    };
  }

  /** What was written once is not written again. */
  async writeAudit(store: Store, action: string | null): Promise<void> {
    const notes = this.#notes.splice(0);
    if (action !== null) await store.audit.add(notes.map((noted) => auditEntry(action, noted, this.#circumstances)));
  }

  /** The work and its lines in the audit, both or neither. */
  async atomically<T>(store: Store, action: string | null, work: (store: Store) => Promise<T>): Promise<T> {
    return await store.atomically(async (inside) => {
      // Anew each time: a transaction that is tried again has noted nothing before.
      this.#notes.length = 0;
      const result = await work(inside);
      await this.writeAudit(inside, action);
      return result;
    });
  }

  async release(): Promise<void> {
    const { events } = this.#deps.store;
    this.#log();
    const timestamp = this.#deps.clock().toISOString();
    if (this.#events.length > 0)
      events.publish(() => this.#events.map(({ type, projectId, data }) => ({ type, timestamp, projectId, data })));
    if (this.#wakes) events.wake();
    for (const wait of this.#waits) await wait();
  }

  #log(): void {
    const { log } = this.#deps;
    const by = this.#circumstances.actor.name;
    const runs = this.#events.filter(({ type }) => type === "execution.scheduled");
    const counted = runs.length > RUNS_LOGGED_MAX;
    if (counted) log.info(LOGGED_AS["execution.scheduled"]!, { projectId: runs[0]!.projectId, count: runs.length, by });
    for (const { type, projectId, data } of this.#events)
      if (!counted || type !== "execution.scheduled") log.info(LOGGED_AS[type] ?? type, { projectId, ...data, by });
  }
}
