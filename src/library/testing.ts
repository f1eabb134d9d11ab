// The public surface of `punctual/testing`: a program whose time is stepped by hand.
//
//   const time = await startStepped(p, { from: "2026-03-29T00:00:00Z" });   // instead of p.start()
//   const ran = await time.advance("1d");                                   // a day, in a moment
//   await p.stop();

import { open, type Punctual } from "./punctual.ts";
import { SteppedClock } from "./stepped-clock.ts";
import { momentOf, SteppedTime } from "./stepped-time.ts";

export type { Execution } from "../contract/execution.ts";
export type { SteppedTime } from "./stepped-time.ts";

/** Starts the program with its clock standing at `from`. Nothing happens but when the time is moved. */
export async function startStepped(program: Punctual, { from }: { from: Date | string }): Promise<SteppedTime> {
  const clock = new SteppedClock(momentOf(from));
  const instance = await program[open](clock, ({ engine }) => engine.join());
  return new SteppedTime(clock, instance);
}
