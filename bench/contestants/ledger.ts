import type { Stage } from "../support/stage.ts";
import { DATABASE } from "./race.ts";

export async function queueLength({ postgres }: Pick<Stage, "postgres">): Promise<number> {
  const [row] = await postgres.query<{ count: string }>("select count(*) from punctual.queue", DATABASE);
  return Number(row!.count);
}

/** All succeeded at the first attempt, and nothing else is in the ledger. */
export async function checkLedger({ postgres }: Pick<Stage, "postgres">, count: number): Promise<void> {
  const rows = await postgres.query<{ state: string; attempt: number; count: string }>(
    "select state, attempt, count(*) from punctual.execution group by 1, 2",
    DATABASE,
  );
  const [row] = rows;
  if (rows.length !== 1 || row!.state !== "succeeded" || row!.attempt !== 1 || Number(row!.count) !== count)
    throw new Error(`the ledger has ${JSON.stringify(rows)} instead of ${count} that succeeded at once`);
}
