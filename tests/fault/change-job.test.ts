// F20: jobs are paused, edited, deleted and triggered as fast as three nodes can do it, while they fire. When such a request
// has returned, nothing of the old state may start any more; "starts" is the commit of the claim, by the database's clock.
// So the database itself is the witness: it notes every claim, and when the transaction that made it was committed.
import { expect, test } from "vitest";
import { beginFaultRun, type FaultRun, type FiringJob, faultCluster } from "../support/fault-run.ts";
import type { TestNode } from "../support/nodes.ts";

const JOBS = 40;
const CHANGES_MS = 10_000;

const WITNESS = `
  create table public.claim_seen (
    execution_id uuid not null, job_id uuid not null, version integer not null, trigger text not null
  );
  create function public.see_claim() returns trigger language plpgsql as $$
  begin
    insert into public.claim_seen values (new.id, new.job_id, new.version, new.trigger);
    return null;
  end $$;
  create trigger see_claim after update on punctual.queue for each row
    when (new.state = 'running' and old.state <> 'running') execute function public.see_claim()`;

interface Claim {
  execution_id: string;
  job_id: string;
  version: number;
  trigger: string;
  at: Date;
}

/** From `from` (the request had returned) to `to` (the next one had not begun), none of these claims may be committed. */
interface Ban {
  jobId: string;
  what: string;
  from: number;
  to: number;
  forbids(claim: Claim): boolean;
}

/** One job after the other is changed; what each change forbids is noted. */
class Meddler {
  readonly bans: Ban[] = [];
  readonly counts = { pause: 0, edit: 0, delete: 0, trigger: 0 };
  readonly #run: FaultRun;
  readonly #until: number;
  #created = 0;

  constructor(run: FaultRun, until: number) {
    this.#run = run;
    this.#until = until;
  }

  async meddle(name: string): Promise<void> {
    while (Date.now() < this.#until) {
      const job = await this.#create(name);
      let version = 1;
      for (let changes = this.#run.dice.between(3, 12); changes > 0 && Date.now() < this.#until; changes -= 1) {
        const change = this.#run.dice.pick(["pause", "edit", "trigger"] as const);
        if (change === "pause") await this.#pause(job);
        else if (change === "edit") version = await this.#edit(job, version);
        else await this.#trigger(job);
        this.counts[change] += 1;
      }
      await this.#delete(job);
      this.counts.delete += 1;
    }
  }

  #node(): TestNode {
    return this.#run.dice.pick(this.#run.running);
  }

  async #create(name: string): Promise<FiringJob> {
    this.#created += 1;
    const path = this.#run.dice.pick(["/ok", "/slow/100", "/fail/1"]);
    const retry = { initialDelay: "50ms", jitter: true };
    const overlap = this.#run.dice.pick(["allow", "allow", "skip", "queue_one"]);
    return await this.#run.createJob(this.#node(), `${name}-${this.#created}`, {
      schedule: { everyMs: 1_000 },
      path,
      retry,
      overlap,
    });
  }

  async #pause(job: FiringJob): Promise<void> {
    await this.#node().insist("POST", `/jobs/${job.id}/pause`);
    const from = await this.#run.now();
    // While it is paused only what is triggered runs.
    const triggered: string[] = [];
    for (let n = this.#run.dice.between(0, 2); n > 0; n -= 1) triggered.push(await this.#trigger(job));
    const to = await this.#run.now();
    await this.#node().insist("POST", `/jobs/${job.id}/resume`);
    const allowed = new Set(triggered);
    this.#ban(job, "of the paused job", { from, to }, ({ execution_id }) => !allowed.has(execution_id));
  }

  async #edit(job: FiringJob, version: number): Promise<number> {
    const edited = await this.#node().insist("PATCH", `/jobs/${job.id}`, { payload: { version: version + 1 } });
    const from = await this.#run.now();
    expect(edited.version).toBe(version + 1);
    this.#ban(job, `of version ${version} or older`, { from }, (claim) => claim.version <= version);
    return version + 1;
  }

  async #delete(job: FiringJob): Promise<void> {
    await this.#run.end(job, () => this.#node().api("DELETE", `/jobs/${job.id}`));
    this.#ban(job, "of the deleted job", { from: job.ended!.before }, () => true);
  }

  async #trigger(job: FiringJob): Promise<string> {
    const { id } = await this.#node().insist("POST", `/jobs/${job.id}/trigger`);
    this.#run.triggered.push(String(id));
    return String(id);
  }

  #ban(job: FiringJob, what: string, when: { from: number; to?: number }, forbids: Ban["forbids"]): void {
    this.bans.push({ jobId: job.id, what, to: Number.POSITIVE_INFINITY, ...when, forbids });
  }
}

test("F20: once a pause, an edit or a delete has returned, nothing of the old state starts; every instant is accounted for", async () => {
  const run = await beginFaultRun({
    name: "F20 changes at full speed",
    leaseMs: 15_000,
    cluster: await faultCluster({ track_commit_timestamp: "on" }),
  });
  await run.startNodes(3);
  await run.pool.query(WITNESS);
  const meddler = new Meddler(run, Date.now() + CHANGES_MS);
  await Promise.all(Array.from({ length: JOBS }, (_, n) => meddler.meddle(`job-${n}`)));
  await run.judge();

  const { rows: claims } = await run.pool.query<Claim>(
    "select execution_id, job_id, version, trigger, pg_xact_commit_timestamp(xmin) as at from public.claim_seen",
  );
  const broken = meddler.bans.flatMap((ban) =>
    claims
      .filter((claim) => claim.job_id === ban.jobId && claim.at.getTime() > ban.from && claim.at.getTime() < ban.to)
      .filter((claim) => ban.forbids(claim))
      .map((claim) => `${claim.trigger} ${claim.execution_id} ${ban.what}, ${claim.at.getTime() - ban.from} ms after`),
  );
  console.log(`F20 · ${claims.length} claims seen · ${JSON.stringify(meddler.counts)}`);
  expect(broken).toEqual([]);
  for (const [change, count] of Object.entries(meddler.counts)) expect(count, change).toBeGreaterThan(10);
  expect(claims.length).toBeGreaterThan(100);
});
