import type { Stage } from "./stage.ts";
import { countSettled, layOut, type Throughput } from "./throughput.ts";

const JOB = "deliver";

/** Signed HTTP calls to a server on this machine that answers at once. */
export async function measureDeliveries(stage: Stage): Promise<Throughput> {
  const { nodes, target } = stage;
  const { id: jobId } = await nodes.client.jobs.create({ name: JOB, target: { type: "http", url: target.url } });
  const laidOut = await layOut(nodes.client, JOB, stage);
  return await nodes.dispatching(() => countSettled(nodes.client, { jobId, laidOut, what: "HTTP deliveries" }, stage));
}
