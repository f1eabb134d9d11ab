import { createInterface } from "node:readline/promises";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

/** Asks a person whether to go on; where there is none to ask, --yes has to have been said. False is a no. */
export async function confirm(
  session: Session,
  question: string,
  { yes, declined = "Nothing was done." }: { yes?: boolean | undefined; declined?: string },
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk()) throw new UsageError(`${question} Nobody can be asked here: repeat it with --yes`);
  session.out.endProgress();
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      // Ctrl-D and Ctrl-C are a no.
      prompt.once("close", () => resolve(""));
      prompt.question(`${question} [y/N] `).then(resolve, () => resolve(""));
    });
    if (/^y(es)?$/i.test(answer.trim())) return true;
    session.out.note(declined);
    return false;
  } finally {
    prompt.close();
  }
}

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}
