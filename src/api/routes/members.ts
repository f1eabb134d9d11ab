// Who has a part in a project. Whoever gets the link by which a new account's password is chosen could choose it themselves: so
// only an instance admin gets one. The admin of a project may add those who have an account already; and, where people sign in
// through a provider, those who are new here too, without a link: only the provider's word lets them in then.

import { z } from "zod";
import {
  addedMemberSchema,
  type Member,
  memberPatchSchema,
  memberSchema,
  newMemberSchema,
} from "../../contract/account.ts";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { pageQuery, uuid } from "../../contract/parameters.ts";
import { makeToken, tokenHash } from "../../core/one-time-token.ts";
import type { MemberRecord } from "../../store/port/accounts.ts";
import { untilForgotten } from "../brief-memory.ts";
import type { ApiDeps } from "../deps.ts";
import { type Answer, type Call, PREFIX, type Route, route } from "../route.ts";
import { linkTo } from "../sign-in-links.ts";

const INVITATION_MS = 7 * 86_400_000;

const params = z.object({ id: uuid });
type Params = z.infer<typeof params>;
const GROUP = "Members";
const MEMBER = { description: "The member.", schema: memberSchema };

export function memberRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/members`,
      group: GROUP,
      summary: "List the project's members, newest first",
      query: z.strictObject(pageQuery),
      responses: { 200: { description: "A page of members.", schema: pageSchema(memberSchema) } },
      handler: async ({ query, principal, store }) => {
        const page = { after: query.cursor ?? null, limit: query.limit };
        const { items, next } = await store.members.list(principal.projectId, page);
        return { status: 200, body: { items: items.map(view), nextCursor: next } };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/members`,
      group: GROUP,
      summary: "Add somebody to the project",
      body: newMemberSchema,
      responses: { 201: { description: "The member; for somebody new with a link.", schema: addedMemberSchema } },
      idempotency: "none",
      handler: (call) => add(deps, call),
    }),
    route({
      method: "PATCH",
      path: `${PREFIX}/members/:id`,
      group: GROUP,
      summary: "Change what a member may do, at once and on all nodes",
      params,
      body: memberPatchSchema,
      responses: { 200: MEMBER },
      handler: change,
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/members/:id`,
      group: GROUP,
      summary: "Remove somebody from the project, at once and on all nodes",
      params,
      responses: { 204: { description: "They have no part in it any more." } },
      handler: remove,
    }),
  ];
}

async function add(deps: ApiDeps, call: Call<unknown, unknown, z.infer<typeof newMemberSchema>>): Promise<Answer> {
  const { body, principal, store, note, beforeAnswer } = call;
  const known = await store.accounts.findByEmail(body.email);
  if (known === null && !principal.instanceAdmin && deps.oidc === null)
    throw new PunctualError(
      "forbidden",
      `nobody here has the address "${body.email}"; an instance admin may bring in somebody new`,
    );
  const name = body.name || body.email.split("@")[0]!;
  const created = { email: body.email, name, instanceAdmin: false, createdBy: principal.name };
  const account = known ?? (await store.accounts.ensure(created));
  const options = { accountId: account.id, role: body.role, actor: principal.name };
  const member = await store.members.add(principal.projectId, options);
  if (member === null) throw new PunctualError("not_found", `there is no project "${principal.projectName}"`);
  if (member === "is_member")
    throw new PunctualError("name_taken", `"${body.email}" is a member already; change the role with PATCH`);
  note({ kind: "member", id: member.id, name: member.email, after: { role: member.role } });
  beforeAnswer(untilForgotten);
  const link = known === null && principal.instanceAdmin ? await invite(deps, call, member.id) : null;
  return { status: 201, body: { ...view(member), link }, headers: { "cache-control": "no-store" } };
}

async function invite({ signIn }: ApiDeps, { store }: Pick<Call, "store">, accountId: string): Promise<string> {
  const token = makeToken();
  await store.accounts.addLink({ hash: tokenHash(token), kind: "password", accountId, lifeMs: INVITATION_MS });
  return linkTo(signIn.url(), "password", token);
}

async function change(call: Call<Params, unknown, z.infer<typeof memberPatchSchema>>): Promise<Answer> {
  const { params: at, body, principal, store, note, beforeAnswer } = call;
  const before = await store.members.find(principal.projectId, at.id);
  const member = before && (await store.members.change(principal.projectId, at.id, body.role));
  if (before === null || member === null) throw noMember(at.id);
  note({
    kind: "member",
    id: member.id,
    name: member.email,
    before: { role: before.role },
    after: { role: member.role },
  });
  beforeAnswer(untilForgotten);
  return { status: 200, body: view(member) };
}

async function remove({ params: at, principal, store, note, beforeAnswer }: Call<Params>): Promise<Answer> {
  const before = await store.members.find(principal.projectId, at.id);
  if (before === null || !(await store.members.remove(principal.projectId, at.id))) throw noMember(at.id);
  note({ kind: "member", id: before.id, name: before.email, before: { role: before.role } });
  beforeAnswer(untilForgotten);
  return { status: 204 };
}

function noMember(id: string): PunctualError {
  return new PunctualError("not_found", `there is no member "${id}"`);
}

function view({ id, email, name, role, createdAt, createdBy }: MemberRecord): Member {
  return { id, email, name, role, createdAt: createdAt.toISOString(), createdBy };
}
