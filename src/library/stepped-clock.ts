// A clock that stands still until it is moved, for one program and nobody else in the database.
//
// The statements of the engine ask the database for the time, with now() and clock_timestamp(). PostgreSQL looks for
// functions along the search path, and pg_catalog comes first only if the path does not name it. So the sessions of a
// stepped program have a path on which a schema with functions of these names comes before pg_catalog; they read the time
// from a table. Every statement is the one that runs in production; all other sessions have the real time.
//
// Not stepped: the timers of this process (an attempt's timeout goes by real time), and what handlers ask Date for.

import pg from "pg";
import { migrate } from "../store/postgres/migrate.ts";
import type { TimeBase } from "./instance.ts";

const SCHEMA = "punctual_time";

const CREATE = `
create schema if not exists ${SCHEMA};
create table if not exists ${SCHEMA}.clock (only_one boolean primary key default true check (only_one), at timestamptz(3) not null);
create or replace function ${SCHEMA}.now() returns timestamptz language sql stable as $$ select at from ${SCHEMA}.clock $$;
create or replace function ${SCHEMA}.clock_timestamp() returns timestamptz language sql stable as $$ select at from ${SCHEMA}.clock $$`;

const SET = `insert into ${SCHEMA}.clock (at) values ($1) on conflict (only_one) do update set at = excluded.at`;

/** Up to when instants are accounted for: before it nothing would happen. */
const REACHED = "select max(c.planned_until) as at from punctual.cursor c";

/** When something happens next by itself: a fire, a retry or a trigger, the end of a pause. */
const NEXT = `select least(
  (select min(c.next_fire_at) from punctual.cursor c where not c.parked and c.next_fire_at > $1),
  (select min(q.run_at) from punctual.queue q where q.state <> 'running' and q.run_at > $1
     and (q.hold is null or q.hold = 'later')),
  (select min(j.pause_until) from punctual.job j where j.state = 'paused' and j.pause_until > $1)) as at`;

export class SteppedClock implements TimeBase {
  #ms: number;
  #client: pg.Client | null = null;

  constructor(from: Date) {
    this.#ms = from.getTime();
  }

  get now(): Date {
    return new Date(this.#ms);
  }

  monotonic = (): number => this.#ms;

  clock = (): Date => this.now;

  async urlOf(databaseUrl: string): Promise<string> {
    // In real time: what a migration writes into the schema must not depend on this clock.
    await migrate(databaseUrl);
    this.#client = new pg.Client({ connectionString: databaseUrl, application_name: "punctual testing" });
    this.#client.on("error", () => {});
    await this.#client.connect();
    await this.#refuseBackwards();
    await this.#client.query(CREATE);
    await this.moveTo(this.now);
    const options = encodeURIComponent(`-c search_path=${SCHEMA},pg_catalog`);
    return `${databaseUrl}${databaseUrl.includes("?") ? "&" : "?"}options=${options}`;
  }

  async moveTo(moment: Date): Promise<void> {
    await this.#connected().query(SET, [moment.toISOString()]);
    this.#ms = moment.getTime();
  }

  async next(): Promise<Date | null> {
    const { rows } = await this.#connected().query<{ at: Date | null }>(NEXT, [this.now.toISOString()]);
    return rows[0]!.at;
  }

  async close(): Promise<void> {
    await this.#client?.end();
    this.#client = null;
  }

  async #refuseBackwards(): Promise<void> {
    const { rows } = await this.#connected().query<{ at: Date | null }>(REACHED);
    const reached = rows[0]!.at;
    if (reached === null || reached.getTime() <= this.#ms) return;
    throw new RangeError(
      `the database has jobs and has been at ${reached.toISOString()}, later than ${this.now.toISOString()}, and time ` +
        "goes one way: give the test a database of its own (a new dataDir), or start later",
    );
  }

  #connected(): pg.Client {
    if (this.#client === null) throw new Error("the program was stopped, and its time with it");
    return this.#client;
  }
}
