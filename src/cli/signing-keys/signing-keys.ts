import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { readSecret } from "../read-secret.ts";
import type { Session } from "../session.ts";

export interface CreateSigningKeyFlags {
  fromEnv?: string;
}

export async function listSigningKeys(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  out.showList(
    await client.signingKeys.list(),
    [
      { title: "ID", of: ({ id }) => id },
      { title: "NAME", of: ({ name }) => name, min: 16 },
      { title: "CREATED", of: ({ createdAt }) => out.time(createdAt) },
    ],
    { empty: "There are no signing keys. Make one with: punctual signing-keys create <name>" },
  );
}

export async function createSigningKey(session: Session, flags: CreateSigningKeyFlags, name: string): Promise<void> {
  const { out } = session;
  const { fromEnv } = flags;
  const brought = fromEnv === undefined ? {} : { secret: await readSecret({ what: "secret", fromEnv }) };
  const key = await (await session.client()).signingKeys.create({ name, ...brought });
  out.show(key, () => key.id);
  if (!out.json) out.note(`Calls are now signed with ${name}. Its secret: punctual signing-keys secret ${key.id}`);
}

export async function showSigningSecret(session: Session, _: object, id: string): Promise<void> {
  const secret = await (await session.client()).signingKeys.secret(id);
  session.out.show({ secret }, () => secret);
}

export async function deleteSigningKey(session: Session, flags: { yes?: boolean }, id: string): Promise<number> {
  const client = await session.client();
  if (!(await confirm(session, `Delete the signing key ${id}? Calls signed with it cannot be verified.`, flags)))
    return EXIT.failed;
  await client.signingKeys.delete(id);
  session.out.note(`Deleted ${id}.`);
  return EXIT.done;
}
