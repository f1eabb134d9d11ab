import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { given } from "../listing.ts";
import { readSecret } from "../read-secret.ts";
import type { Session } from "../session.ts";

export interface SetSecretFlags {
  fromEnv?: string;
}

export interface DeleteSecretFlags {
  yes?: boolean;
  force?: boolean;
}

export async function listSecrets(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  out.showList(
    await client.secrets.list(),
    [
      { title: "NAME", of: ({ name }) => name, min: 20 },
      { title: "VERSION", of: ({ version }) => String(version), align: "right" },
      { title: "CHANGED", of: ({ updatedAt }) => out.time(updatedAt) },
      { title: "CREATED", of: ({ createdAt }) => out.time(createdAt), rank: 1 },
    ],
    {
      empty: `There are no secrets yet. Keep one with:
  punctual secrets set API_TOKEN
and use it in a job as {{secrets.API_TOKEN}}.`,
    },
  );
}

export async function setSecret(session: Session, flags: SetSecretFlags, name: string): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const value = await readSecret({ what: `value of ${name}`, fromEnv: flags.fromEnv });
  const secret = await client.secrets.put(name, value);
  out.show(secret, () => "");
  if (!out.json) out.note(`Kept ${name}, version ${secret.version}. Jobs use it as {{secrets.${name}}}.`);
}

export async function deleteSecret(session: Session, flags: DeleteSecretFlags, name: string): Promise<number> {
  const client = await session.client();
  const effect = flags.force ? " Jobs that use it will fail." : "";
  if (!(await confirm(session, `Delete the secret "${name}"?${effect}`, flags))) return EXIT.failed;
  await client.secrets.delete(name, given({ force: flags.force }));
  session.out.note(`Deleted ${name}.`);
  return EXIT.done;
}
