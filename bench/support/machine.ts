import { availableParallelism, cpus, release, totalmem, type } from "node:os";

export interface Machine {
  cores: number;
  processor: string;
  memoryGb: number;
  system: string;
  node: string;
}

/** Numbers mean nothing without it. */
export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
  };
}

export function machineInWords({ cores, processor, memoryGb, system, node }: Machine): string {
  return `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}`;
}
