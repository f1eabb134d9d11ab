import type { Member, PunctualClient, Role } from "../../client/index.ts";
import { PunctualError } from "../../contract/errors.ts";
import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { given, type ListFlags, showPages } from "../listing.ts";
import type { Session } from "../session.ts";

export interface ChangeMemberFlags {
  role: Role;
}

export interface AddMemberFlags extends ChangeMemberFlags {
  name?: string;
}

export async function listMembers(session: Session, flags: ListFlags): Promise<void> {
  const { out } = session;
  const { members } = await session.client();
  await showPages(
    out,
    flags,
    { page: (page) => members.list(page), all: () => members.all() },
    {
      columns: [
        { title: "EMAIL", of: ({ email }) => email, min: 16 },
        { title: "ROLE", of: ({ role }) => role },
        { title: "NAME", of: ({ name }) => name, min: 8 },
        { title: "ADDED", of: ({ createdAt }) => out.time(createdAt) },
        { title: "BY", of: ({ createdBy }) => createdBy ?? "-", rank: 1, min: 8 },
        { title: "ID", of: ({ id }) => id, rank: 2 },
      ],
      empty: "The project has no members. Add one with: punctual members add <email> --role viewer",
    },
  );
}

/** Only the link goes to standard output, so that it can be passed on. */
export async function addMember(session: Session, { role, name }: AddMemberFlags, email: string): Promise<void> {
  const { out } = session;
  const { members } = await session.client();
  const added = await members.add({ email, role, ...given({ name }) });
  out.show(added, () => added.link ?? "");
  if (out.json) return;
  if (added.link === null)
    out.note(`Added ${added.email} as ${added.role}. They need no link: they can sign in already.`);
  else
    out.note(
      `Added ${added.email} as ${added.role}. Send them this link: there they choose a password, once, within 7 days. It is shown only now, and whoever has it can sign in as them.`,
    );
}

export async function changeMember(session: Session, { role }: ChangeMemberFlags, called: string): Promise<void> {
  const { out } = session;
  const client = await session.client();
  const { id, role: before } = await memberOf(client, called);
  const changed = await client.members.change(id, { role });
  out.show(changed, () => "");
  if (out.json) return;
  out.note(
    before === role
      ? `${changed.email} was ${role} already.`
      : `${changed.email} is now ${changed.role} instead of ${before}.`,
  );
}

export async function removeMember(session: Session, flags: { yes?: boolean }, called: string): Promise<number> {
  const client = await session.client();
  const { id, email } = await memberOf(client, called);
  if (!(await confirm(session, `Remove ${email} from the project?`, flags))) return EXIT.failed;
  await client.members.remove(id);
  session.out.note(`Removed ${email}.`);
  return EXIT.done;
}

/** By address or id. */
async function memberOf(client: PunctualClient, called: string): Promise<Member> {
  const wanted = called.trim().toLowerCase();
  for await (const member of client.members.all()) if (member.id === wanted || member.email === wanted) return member;
  throw new PunctualError("not_found", `the project has no member "${called}"; punctual members list shows them`);
}
