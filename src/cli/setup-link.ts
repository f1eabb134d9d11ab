import { emailSchema } from "../contract/account.ts";
import type { Settings } from "../contract/settings.ts";
import { createLog, openOperatorStore, passwordLink, setupLink } from "../main.ts";
import type { Output } from "./output/output.ts";
import { UsageError } from "./usage-error.ts";

/** `punctual setup-link`: lets somebody in who cannot sign in: the first admin, another one, or whoever lost a password. */
export async function setupLinkCommand(
  out: Output,
  settings: Settings,
  { email, admin }: { email?: string; admin?: boolean },
): Promise<number> {
  const address = email === undefined ? undefined : emailSchema.safeParse(email);
  if (address?.success === false)
    throw new UsageError(`--email ${JSON.stringify(email)} ${address.error.issues[0]!.message}`);
  const store = await openOperatorStore(settings, createLog({ level: "silent" }));
  try {
    const url = settings.publicUrl ?? `http://${settings.host}:${settings.port}`;
    if (address === undefined) return showSetup(out, await setupLink(store, url));
    const { link, made } = await passwordLink(store, url, { email: address.data, instanceAdmin: admin === true });
    out.show(
      { link },
      () =>
        `${made ? "Invites" : "Lets"} ${address.data} ${made ? "to choose" : "choose"} a password, once, within 24 hours:\n${link}`,
    );
    return 0;
  } finally {
    await store.close();
  }
}

function showSetup(out: Output, link: string | null): number {
  if (link === null)
    throw new UsageError("there is an admin who can sign in; name somebody with --email to let them choose a password");
  out.show({ link }, () => `The first admin chooses a password here, once, within 24 hours:\n${link}`);
  return 0;
}
