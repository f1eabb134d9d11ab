import { Punctual } from "../../library/index.ts";
import { CONCURRENCY } from "./bench-nodes.ts";
import type { Stage } from "./stage.ts";
import { countSettled, layOut, type Throughput } from "./throughput.ts";

const JOB = "no-op";

/** Functions that do nothing, run by the library in this process: what is left is the cost of Punctual itself. */
export async function measureFunctions(stage: Stage): Promise<Throughput> {
  const { client } = stage.nodes;
  const { url } = stage.database;
  const program = new Punctual({ app: "bench", release: "1", database: url, concurrency: CONCURRENCY });
  program.job(JOB, { concurrency: CONCURRENCY }, async () => null);
  try {
    // Its start makes the job; work is laid out while nobody offers the function.
    await program.start();
    await program.stop();
    const laidOut = await layOut(client, JOB, stage);
    const { id: jobId } = await client.jobs.get(JOB);
    await program.start();
    return await countSettled(client, { jobId, laidOut, what: "Functions" }, stage);
  } finally {
    await program.stop();
  }
}
