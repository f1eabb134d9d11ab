import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { given } from "../listing.ts";
import { toneOf } from "../output/colour.ts";
import { readSecret } from "../read-secret.ts";
import type { Session } from "../session.ts";

export interface CreateSigningKeyFlags {
  fromEnv?: string;
  named?: boolean;
}

export interface RotateSigningKeyFlags {
  overlap?: string;
}

export async function listSigningKeys(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  out.showList(
    await client.signingKeys.list(),
    [
      { title: "ID", of: ({ id }) => id },
      { title: "NAME", of: ({ name }) => name, min: 16 },
      { title: "VERSION", of: ({ version }) => String(version), align: "right" },
      { title: "USE", of: ({ use }) => use },
      { title: "STATE", of: ({ state }) => ({ text: state, tone: toneOf(state) }) },
      { title: "SIGNS UNTIL", of: ({ expiresAt }) => (expiresAt === null ? "-" : out.time(expiresAt)) },
      { title: "CREATED", of: ({ createdAt }) => out.time(createdAt), rank: 1 },
    ],
    { empty: "There are no signing keys. Make one with: punctual signing-keys create <name>" },
  );
}

export async function createSigningKey(session: Session, flags: CreateSigningKeyFlags, name: string): Promise<void> {
  const { out } = session;
  const { fromEnv, named } = flags;
  const brought = fromEnv === undefined ? {} : { secret: await readSecret({ what: "secret", fromEnv }) };
  const key = await (await session.client()).signingKeys.create({ name, use: named ? "named" : "project", ...brought });
  out.show(key, () => key.id);
  if (out.json) return;
  const signs = named ? `Jobs sign with it by "signingKey": "${name}".` : `Calls are now signed with ${name}.`;
  out.note(`${signs} Its secret: punctual signing-keys secret ${key.id}`);
}

export async function rotateSigningKey(session: Session, flags: RotateSigningKeyFlags, id: string): Promise<void> {
  const { out } = session;
  const key = await (await session.client()).signingKeys.rotate(id, given({ overlap: flags.overlap }));
  out.show(key, () => key.id);
  if (!out.json)
    out.note(
      `Calls are now signed with version ${key.version} of ${key.name}, and for ${flags.overlap ?? "24h"} with the old one too. ` +
        `Give receivers the new secret: punctual signing-keys secret ${key.id}`,
    );
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
