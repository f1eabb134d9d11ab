import type { ExecutionState } from "../../contract/execution.ts";
import type { LogLevel, LogLine, LogLineInput } from "../../contract/log.ts";

export interface LogBatch {
  id: string;
  /** Lines of a holder that lost its claim are dropped. */
  claim: string;
  lines: LogLineInput[];
}

export interface LogStore {
  /** Lines sent again are kept once and count as accepted. What goes beyond the execution's limits is dropped; its log says so, once. */
  append(batches: LogBatch[]): Promise<{ accepted: number; dropped: number }>;
  /** Oldest first; null: there is no such execution in the project. In a final state nothing more will come. */
  read(
    projectId: string,
    executionId: string,
    page: { after: { attempt: number; seq: number } | null; level: LogLevel; limit: number },
  ): Promise<{ lines: LogLine[]; state: ExecutionState } | null>;
}
