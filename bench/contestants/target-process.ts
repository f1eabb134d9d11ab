import { Program } from "../support/program.ts";
import type { Seen } from "./target.ts";

/** The server that is called, while `work` runs. `seen` tells what came; it throws if calls were lost or came twice. */
export interface Target {
  readonly url: string;
  readonly program: Program;
  seen(): Promise<Seen>;
}

export async function withTarget<T>(count: number, work: (target: Target) => Promise<T>): Promise<T> {
  const program = await Program.start(new URL("./target.ts", import.meta.url));
  try {
    const url = await program.call<string>("start", { count });
    return await work({ url, program, seen: () => whatCame(program) });
  } finally {
    await program.stop();
  }
}

async function whatCame(program: Program): Promise<Seen> {
  const seen = await program.call<Seen>("whatWasSeen");
  if (seen.lost > 0 || seen.doubled > 0)
    throw new Error(`${seen.lost} calls were lost, ${seen.doubled} came more than once`);
  return seen;
}
