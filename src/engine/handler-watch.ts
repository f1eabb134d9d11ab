import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { Loop } from "./loop.ts";

const EVERY_MS = 60_000;
/** Named one by one; a deployment that took all workers away needs no thousand lines to be noticed. */
const NAMED_MAX = 20;

/** Says so, as long as it lasts, when something is due for handlers that no worker offers. */
export class HandlerWatch {
  readonly #store: Store;
  readonly #log: Log;
  readonly #loop: Loop;

  constructor({ store, log }: { store: Store; log: Log }) {
    this.#store = store;
    this.#log = log;
    this.#loop = new Loop("handlers", log, async () => {
      await this.watchOnce();
      return { againInMs: EVERY_MS };
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async watchOnce(): Promise<void> {
    const { unserved } = await this.#store.workers.watch();
    for (const { projectId, handler, waiting } of unserved.slice(0, NAMED_MAX))
      this.#log.warn("handler.unserved", { projectId, handler, waiting });
    if (unserved.length > NAMED_MAX) this.#log.warn("handlers.unserved", { handlers: unserved.length });
  }
}
