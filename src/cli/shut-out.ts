import { emailSchema } from "../contract/account.ts";
import type { Settings } from "../contract/settings.ts";
import { createLog, openOperatorStore, shutOut } from "../main.ts";
import type { Output } from "./output/output.ts";
import { UsageError } from "./usage-error.ts";

/** `punctual shut-out`: for somebody who is to have no part in anything any more. What they did stays theirs in the audit. */
export async function shutOutCommand(out: Output, settings: Settings, email: string): Promise<number> {
  const address = emailSchema.safeParse(email);
  if (!address.success) throw new UsageError(`${JSON.stringify(email)} ${address.error.issues[0]!.message}`);
  const store = await openOperatorStore(settings, createLog({ level: "silent" }));
  try {
    if (!(await shutOut(store, address.data))) throw new UsageError(`nobody here has the address "${address.data}"`);
    out.show(
      { email: address.data },
      () =>
        `${address.data} is shut out: no role, no password, no session. Keys that they made are not theirs alone and stay; punctual keys list shows them.`,
    );
    return 0;
  } finally {
    await store.close();
  }
}
