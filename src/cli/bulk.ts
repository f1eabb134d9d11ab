// Acting on everything that matches a filter: first it is counted, then asked, then done only if it is still the same
// number.

import type { BulkAnswer } from "../contract/bulk.ts";
import { confirm } from "./confirm.ts";
import { EXIT } from "./exit-code.ts";
import { oneLine } from "./output/text.ts";
import type { Session } from "./session.ts";

export interface BulkFlags {
  yes?: boolean;
  dryRun?: boolean;
}

export interface BulkWords {
  /** "Delete" */
  verb: string;
  /** "Deleted" */
  done: string;
  /** ["job", "jobs"] */
  things: readonly [one: string, many: string];
}

export async function runBulk(
  session: Session,
  { yes, dryRun }: BulkFlags,
  { verb, done, things }: BulkWords,
  act: (options: { dryRun?: boolean; expected?: number }) => Promise<BulkAnswer>,
): Promise<number> {
  const { out } = session;
  const counted = await act({ dryRun: true });
  const many = `${counted.matched} ${things[counted.matched === 1 ? 0 : 1]}`;
  if (counted.matched === 0 || dryRun) {
    out.show(counted, () => `${many} ${counted.matched === 1 ? "matches" : "match"}; nothing was done.`);
    return EXIT.done;
  }
  if (!(await confirm(session, `${verb} ${many}?`, { yes }))) return EXIT.failed;
  out.progress(`${many} …`);
  const answer = await act({ expected: counted.matched });
  out.show(answer, () => `${done} ${answer.changed} of ${many}.`);
  for (const { id, message } of answer.failures) out.note(`  ${id}: ${oneLine(message)}`);
  return answer.failed === 0 ? EXIT.done : EXIT.failed;
}
