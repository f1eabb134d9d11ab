// A program with the scheduler in it, in a process of its own (support/program.ts), whose one job does nothing.

import { Punctual } from "../support/product.ts";

const JOB = "nothing";

let program: InstanceType<typeof Punctual>;

export async function start({ databaseUrl, concurrency }: { databaseUrl: string; concurrency: number }): Promise<void> {
  program = new Punctual({ app: "bench", release: "1", database: databaseUrl, concurrency });
  program.job(JOB, { concurrency }, () => null);
  await program.start();
}

/** A run of it tomorrow. */
export async function triggerTomorrow(): Promise<void> {
  await program.trigger(JOB, null, { delay: "24h" });
}

export async function stop(): Promise<void> {
  await program.stop();
}
