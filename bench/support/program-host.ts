// The inside of the process that `Program` starts: it loads the module it is told and calls what it is asked for.

import type { Answer, Call } from "./program.ts";

type Step = (given: unknown) => unknown;

const module = (await import(process.argv[2]!)) as Record<string, Step>;

process.on("message", ({ id, step, given }: Call) => {
  const answer = (said: Answer) => {
    if (process.connected) process.send!(said);
  };
  void (async () => {
    if (step === "") return null;
    const call = module[step];
    if (call === undefined) throw new Error(`${process.argv[2]} exports no ${step}`);
    return await call(given);
  })().then(
    (value) => answer({ id, value }),
    (error: Error) => answer({ id, error: error.stack ?? String(error) }),
  );
});
process.once("disconnect", () => process.exit(0));
// Ctrl-C goes to the whole group; whoever started this decides when it is over.
process.on("SIGINT", () => {});
