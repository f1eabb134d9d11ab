import type { Program } from "../support/program.ts";
import type { Item } from "./contestant.ts";

/** What one request may bring. */
const PER_REQUEST = 1_000;

/** Triggers of a job, by the bulk route of a node, one request after the other. */
export async function layOut(node: Program, job: string, items: readonly Item[]): Promise<void> {
  for (let from = 0; from < items.length; from += PER_REQUEST)
    await node.call("trigger", { job, items: items.slice(from, from + PER_REQUEST) });
}
