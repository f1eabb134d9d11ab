import type { ExecutionState } from "../../contract/execution.ts";
import type { Json } from "../../contract/json.ts";
import type { Blocked, Claimed, ClaimResult, HandlerClaimOptions } from "../port/queue.ts";
import type { Queryable } from "./database.ts";

export async function claimHandlers(_db: Queryable, _options: HandlerClaimOptions): Promise<ClaimResult> {
  throw new Error("to come");
}
export async function heldBy(_db: Queryable, _holder: string): Promise<Claimed[]> {
  throw new Error("to come");
}
export async function endedAs(
  _db: Queryable,
  _items: { id: string; claim: string }[],
): Promise<Map<string, ExecutionState | null>> {
  throw new Error("to come");
}
export async function saveProgress(
  _db: Queryable,
  _items: { id: string; claim: string; progress: Json }[],
): Promise<void> {
  throw new Error("to come");
}
export async function readUntaken(_db: Queryable, _limit: number): Promise<Blocked[]> {
  return [];
}
