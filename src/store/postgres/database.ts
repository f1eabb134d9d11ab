// The one way to the database. Every statement is a fixed text with a name; every connection that is checked out has an
// error listener, so that a database restart is an error of the statement and never the end of the process.
//
// Directly connected (prepared = on): named statements, planned anew at each run, because a plan cached while the queue
// was empty is a scan over all of it when it is full. The few statements of which there are hundreds a second keep their
// plan, for a second: planning them costs as much as running them, and a second later the sizes are looked at again.
// Behind a pooler in transaction mode (prepared = off): unnamed statements and no session settings, because the session
// belongs to somebody else a moment later.

import { createHash } from "node:crypto";
import pg from "pg";
import { rowTypes } from "./row-types.ts";

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether its plan may be used again, or must fit the values it is run with. */
  readonly plan: Plan;
}

type Plan = "kept" | "anew";

export function statement(name: string, text: string, plan: Plan = "anew"): Statement {
  // The hash lets two versions of Punctual share a connection without meeting the other's text under one name.
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8);
  return { name: `${name}_${hash}`.slice(0, 63), text, plan };
}

/** What a statement can be run on: the pool or one transaction. */
export interface Queryable {
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs `work` in one transaction; inside one already, as part of it. `plan` is that of most of its statements. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, plan?: Plan): Promise<T>;
}

export interface DatabaseOptions {
  url: string;
  prepared: boolean;
  connectionsMax: number;
  applicationName?: string;
  /** Called when an idle connection breaks; the statement in flight, if any, fails by itself. */
  onError?: (error: Error) => void;
}

const STATEMENT_TIMEOUT_MS = 30_000;
/** Locks are held for a few statements of ours; a process frozen between two of them must not keep them. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 5_000;
const TRIES = 4;
/** How long a plan is kept; what was empty may be full by then. */
const PLANS_KEPT_MS = 1_000;

// Sequential scans are off because the queue's statistics are always of another moment: a table that was small when it was
// last looked at would be read whole. Everything that can grow is reached through an index.
const SESSION = `set jit = off; set enable_seqscan = off; set timezone = 'UTC';
  set statement_timeout = ${STATEMENT_TIMEOUT_MS}; set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`;

/** The same bounds for one transaction, where the session is not ours. */
const BOUNDS = `set local statement_timeout = ${STATEMENT_TIMEOUT_MS}; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`;

const PLANNED_ANEW = "set plan_cache_mode = force_custom_plan";
const PLANS_KEPT = "set plan_cache_mode = force_generic_plan";
const PLANS_FORGOTTEN = `discard plans; ${PLANS_KEPT}`;

export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #prepared: boolean;
  /** How each connection plans at the moment, and since when it keeps plans; absent for one that is new. */
  readonly #planning = new WeakMap<pg.PoolClient, { plan: Plan | "unknown"; since: number }>();

  constructor(options: DatabaseOptions) {
    this.#prepared = options.prepared;
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
      keepAlive: true,
      application_name: options.applicationName ?? "punctual",
      types: rowTypes,
    });
    this.#pool.on("error", (error) => options.onError?.(error));
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return await retrying(() =>
      this.#withClient(statement.plan, (client) => this.#query<Row>(client, statement, values)),
    );
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, plan: Plan = "anew"): Promise<T> {
    return await retrying(() =>
      this.#withClient(plan, async (client) => {
        await client.query(this.#prepared ? "begin" : `begin; ${BOUNDS}`);
        const tx = this.#joined(client);
        try {
          const result = await work(tx);
          await tx.end();
          const { command } = await client.query("commit");
          // A transaction that is aborted answers so, without an error.
          if (command !== "COMMIT") throw new Error("the transaction was rolled back instead of committed");
          return result;
        } catch (error) {
          await tx.end();
          this.#undone(client);
          // A broken connection has rolled back by itself; the first error is the one to tell.
          await client.query("rollback").catch(() => {});
          throw error;
        }
      }),
    );
  }

  counts(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /**
   * Inside a transaction another one is a savepoint, so that its failure can be an answer of the outer one. Callers that work
   * at the same time take turns: on one connection the statements of two would mix, and a savepoint that one gives up would
   * take what the other did with it. Whoever is left when it ends is refused: the connection is somebody else's then.
   */
  #joined(client: pg.PoolClient): Queryable & { end(): Promise<void> } {
    let last: Promise<unknown> = Promise.resolve();
    let over = false;
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const turn = last.then(() => {
        if (over) throw new Error("the transaction is over");
        return work();
      });
      last = turn.catch(() => {});
      return turn;
    };
    return {
      run: (statement, values) =>
        inTurn(async () => {
          if (this.#prepared && this.#planning.get(client)!.plan !== statement.plan)
            await this.#planAs(client, statement.plan);
          return await this.#query(client, statement, values);
        }),
      transaction: (work) => inTurn(() => this.#savepoint(client, work)),
      end: async () => {
        over = true;
        await last;
      },
    };
  }

  async #savepoint<T>(client: pg.PoolClient, work: (tx: Queryable) => Promise<T>): Promise<T> {
    await client.query("savepoint inner_transaction");
    const tx = this.#joined(client);
    try {
      const result = await work(tx);
      await tx.end();
      await client.query("release savepoint inner_transaction");
      return result;
    } catch (error) {
      await tx.end();
      this.#undone(client);
      await client.query("rollback to savepoint inner_transaction").catch(() => {});
      throw error;
    }
  }

  async #query<Row extends object>(
    client: pg.PoolClient,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const config = this.#prepared ? { name: statement.name, text: statement.text } : { text: statement.text };
    const result = await client.query<Row>({ ...config, values: values as unknown[] });
    return result.rows;
  }

  async #withClient<T>(plan: Plan, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      if (!this.#planning.has(client)) await this.#prepareSession(client);
      if (this.#prepared) await this.#planAs(client, plan);
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(leavesConnectionUsable(error) ? undefined : true);
      throw error;
    }
  }

  /** A standby that answers after a failover must not be taken for the database. */
  async #prepareSession(client: pg.PoolClient): Promise<void> {
    if (this.#prepared) await client.query(SESSION);
    const { rows } = await client.query<{ read_only: string }>(
      "select current_setting('transaction_read_only') as read_only",
    );
    if (rows[0]?.read_only === "on")
      throw Object.assign(new Error("the database is read-only (a standby?)"), { code: "25006" });
    this.#planning.set(client, { plan: "kept", since: Number.NEGATIVE_INFINITY });
  }

  /** What is rolled back takes with it how the connection was told to plan meanwhile. */
  #undone(client: pg.PoolClient): void {
    this.#planning.set(client, { ...this.#planning.get(client)!, plan: "unknown" });
  }

  async #planAs(client: pg.PoolClient, plan: Plan): Promise<void> {
    const now = performance.now();
    const current = this.#planning.get(client)!;
    const isOld = now - current.since >= PLANS_KEPT_MS;
    if (plan === "kept" ? current.plan === "kept" && !isOld : current.plan === "anew") return;
    if (plan === "anew") await client.query(PLANNED_ANEW);
    else await client.query(isOld ? PLANS_FORGOTTEN : PLANS_KEPT);
    this.#planning.set(client, { plan, since: plan === "kept" && isOld ? now : current.since });
  }
}

/** Deadlocks and serialisation failures are the database's way of asking for the same once more. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const code = errorCode(error);
      if (tries >= TRIES || (code !== "40P01" && code !== "40001")) throw error;
    }
  }
}

export function errorCode(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
}

/** Name of the violated constraint or index, if the error is about one. */
export function violatedConstraint(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "constraint" in error ? String(error.constraint) : undefined;
}

/** The database refused this data (class 22 and 23): trying again cannot help, leaving the row out can. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error) ?? "");
}

/** The database could not be asked, or its answer was lost: whether the statement took effect is unknown. */
function isConnectionError(error: unknown): boolean {
  const code = errorCode(error);
  if (code === undefined) return error instanceof Error && /timeout|terminated|Connection|closed/i.test(error.message);
  return /^(08|57P|53|25006|58|E[A-Z]+$)/.test(code);
}

/** It may succeed in a moment: the database is away, or too busy to come to an end (timeouts, locks, deadlocks). */
export function isUnavailable(error: unknown): boolean {
  return isConnectionError(error) || ["57014", "55P03", "40P01", "40001"].includes(errorCode(error) ?? "");
}

function leavesConnectionUsable(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P|25006|58)/.test(code) && !/^E/.test(code);
}
