import { z } from "zod";
import { changePasswordSchema, sessionSchema } from "../../contract/account.ts";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import { uuid } from "../../contract/parameters.ts";
import { untilForgotten } from "../brief-memory.ts";
import type { ApiDeps } from "../deps.ts";
import type { LoginLimits } from "../login-limits.ts";
import { type Answer, type Call, PREFIX, type Route, route, SMALL_BODY_LIMIT } from "../route.ts";
import { REFUSED_SESSION } from "../rules.ts";
import { compared } from "./auth.ts";

const params = z.object({ id: uuid });
const GROUP = "Signing in";

export function sessionRoutes(deps: ApiDeps, limits: LoginLimits): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/sessions`,
      group: GROUP,
      summary: "List one's own sessions, newest first",
      responses: { 200: { description: "The sessions.", schema: pageSchema(sessionSchema) } },
      handler: listSessions,
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/sessions/:id`,
      group: GROUP,
      summary: "End one of one's own sessions, at once and on all nodes",
      params,
      responses: { 204: { description: "It is over." } },
      handler: endSession,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/me/password`,
      group: GROUP,
      summary: "Change one's password; all other sessions end",
      body: changePasswordSchema,
      bodyIsSecret: true,
      bodyLimit: SMALL_BODY_LIMIT,
      responses: { 204: { description: "It is changed." } },
      idempotency: "none",
      atomic: false,
      handler: (call) => changePassword(deps, limits, call),
    }),
  ];
}

async function listSessions({ principal, store }: Call): Promise<Answer> {
  const items = (await store.sessions.list(principal.id)).map((session) => ({
    id: session.id,
    current: session.id === principal.session?.id,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    address: session.address,
    userAgent: session.userAgent,
  }));
  return { status: 200, body: { items, nextCursor: null } };
}

async function endSession(call: Call<z.infer<typeof params>>): Promise<Answer> {
  const { id } = call.params;
  if (!(await call.store.sessions.revoke(call.principal.id, id)))
    throw new PunctualError("not_found", `there is no session "${id}"`);
  call.note({ kind: "session", id, name: call.principal.name, projectId: null });
  call.beforeAnswer(untilForgotten);
  return { status: 204 };
}

/** Whoever found somebody else's session open knows no password, and may not guess it here either. */
async function changePassword(
  { passwords }: ApiDeps,
  limits: LoginLimits,
  call: Call<unknown, unknown, z.infer<typeof changePasswordSchema>>,
): Promise<Answer> {
  const { principal, body } = call;
  limits.attempt(call.address, principal.name);
  const account = await call.store.accounts.find(principal.id);
  if (!(await compared(() => passwords.matches(body.current, account?.password ?? null)))) throw await refusal(call);
  limits.succeeded(call.address, principal.name);
  const hash = await compared(() => passwords.hash(body.password));
  await call.atomically(async (store) => {
    await store.accounts.setPassword(principal.id, hash, { exceptSession: principal.session!.id });
    call.note({ kind: "account", id: principal.id, name: principal.name, projectId: null });
  });
  call.beforeAnswer(untilForgotten);
  return { status: 204 };
}

async function refusal({ principal, tell }: Pick<Call, "principal" | "tell">): Promise<PunctualError> {
  await tell(REFUSED_SESSION, { kind: "account", id: principal.id, name: principal.name, projectId: null });
  return PunctualError.validation([{ path: "current", code: "wrong_password", message: "is not the password" }]);
}
