// What the API asks of the engine for workers. The two never import each other: whoever builds them hands this over.

import type { z } from "zod";
import type {
  claimSchema,
  HandedOut,
  heartbeatAnswerSchema,
  heartbeatSchema,
  logsAcceptedSchema,
  Registration,
  registeredSchema,
  Settlement,
  settledSchema,
  workerLogsSchema,
} from "../contract/worker.ts";
import type { Call } from "./route.ts";

export interface WorkerKey {
  projectId: string;
  id: string;
}

export type ClaimAnswer =
  | { kind: "executions"; executions: HandedOut[] }
  | { kind: "unknown" }
  | { kind: "not_offered"; handler: string }
  | { kind: "full" };

export interface WorkerDesk {
  register(worker: WorkerKey, registration: Registration): Promise<z.infer<typeof registeredSchema>>;
  /** Waits for work as long as the claim says, the client is there and still allowed to, and the node does not stop. */
  claim(
    worker: WorkerKey,
    claim: z.infer<typeof claimSchema>,
    asker: Pick<Call, "signal" | "stillAllowed">,
  ): Promise<ClaimAnswer>;
  /** Null: the worker is not known. */
  heartbeat(
    worker: WorkerKey,
    executions: z.infer<typeof heartbeatSchema>["executions"],
  ): Promise<z.infer<typeof heartbeatAnswerSchema> | null>;
  settle(worker: WorkerKey, items: Settlement[]): Promise<z.infer<typeof settledSchema>["items"]>;
  logs(
    worker: WorkerKey,
    items: z.infer<typeof workerLogsSchema>["items"],
  ): Promise<z.infer<typeof logsAcceptedSchema>>;
  leave(worker: WorkerKey): Promise<void>;
  /** Answers all who wait, because the server is about to close. */
  closePolls(): void;
}
