import type { MadeApiKey, NewApiKey, Scope } from "../../contract/api-key.ts";
import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { given } from "../listing.ts";
import { toneOf } from "../output/colour.ts";
import type { Session } from "../session.ts";

export interface CreateKeyFlags {
  scope: string;
  expires?: string;
  instanceAdmin?: boolean;
}

export interface RotateKeyFlags {
  overlap?: string;
}

export async function listKeys(session: Session): Promise<void> {
  const { out } = session;
  const client = await session.client();
  out.showList(
    await client.apiKeys.list(),
    [
      { title: "ID", of: ({ id }) => id },
      { title: "NAME", of: ({ name }) => name, min: 12 },
      { title: "STATE", of: ({ state }) => ({ text: state, tone: toneOf(state) }) },
      {
        title: "SCOPES",
        of: ({ scopes, instanceAdmin }) => [...scopes, ...(instanceAdmin ? ["instance"] : [])].join(","),
        min: 12,
      },
      { title: "USED", of: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : out.time(lastUsedAt)) },
      { title: "EXPIRES", of: ({ expiresAt }) => (expiresAt === null ? "never" : out.time(expiresAt)) },
      { title: "CREATED", of: ({ createdAt }) => out.time(createdAt), rank: 1 },
      { title: "BY", of: ({ createdBy }) => createdBy ?? "-", rank: 2, min: 8 },
    ],
    { empty: "No keys were made yet. Make one with: punctual keys create <name> --scope read" },
  );
}

export async function createKey(session: Session, flags: CreateKeyFlags, name: string): Promise<void> {
  const client = await session.client();
  const { scope, expires, instanceAdmin } = flags;
  const end = expires === undefined ? {} : /^\d{4}-/.test(expires) ? { expiresAt: expires } : { expiresIn: expires };
  const input: NewApiKey = { name, scopes: scope.split(",") as Scope[], ...end, ...given({ instanceAdmin }) };
  showKey(session, await client.apiKeys.create(input));
}

export async function rotateKey(session: Session, flags: RotateKeyFlags, id: string): Promise<void> {
  const client = await session.client();
  showKey(session, await client.apiKeys.rotate(id, given({ overlap: flags.overlap })));
  if (!session.out.json) session.out.note(`The old key (${id}) stays valid for ${flags.overlap ?? "24h"}.`);
}

export async function revokeKey(session: Session, flags: { yes?: boolean }, id: string): Promise<number> {
  const client = await session.client();
  if (!(await confirm(session, `Revoke the key ${id}? Whoever uses it is locked out at once.`, flags)))
    return EXIT.failed;
  await client.apiKeys.delete(id);
  session.out.note(`Revoked ${id}.`);
  return EXIT.done;
}

/** Only the key goes to standard output, so that it can be kept in a file. */
function showKey({ out }: Session, made: MadeApiKey): void {
  out.show(made, () => made.key);
  if (out.json) return;
  const until = made.expiresAt === null ? "It does not expire." : `It expires ${out.timeInFull(made.expiresAt)}.`;
  out.note(`This is the key "${made.name}" (${made.id}). It is shown only now: keep it. ${until}`);
}
