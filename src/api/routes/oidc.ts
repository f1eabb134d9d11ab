// Signing in through an identity provider. Both routes answer browsers, with redirects to fixed places: nothing of a request
// decides where they lead. Whoever is not let in is told why by a word behind the #, which stays in the browser.

import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import type { ApiDeps, OidcSignIn } from "../deps.ts";
import { type Finish, OIDC_PATH } from "../oidc-provider.ts";
import { openSession } from "../open-session.ts";
import { type Answer, type Call, type Route, route } from "../route.ts";
import { REFUSED_SESSION } from "../rules.ts";

const GROUP = "Signing in";
/** Providers add what they like. */
const callbackQuery = z
  .object({ code: z.string().optional(), state: z.string().optional(), error: z.string().optional() })
  .catchall(z.string());
type CallbackCall = Call<unknown, z.infer<typeof callbackQuery>>;

export function oidcRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: OIDC_PATH,
      group: GROUP,
      summary: "Sign in through the identity provider",
      responses: { 302: { description: "To the provider." } },
      handler: async () => {
        const { provider, flows } = provided(deps);
        const { url, flow } = await provider.begin();
        return redirect(url, [flows.cookie(flow)]);
      },
    }),
    route({
      method: "GET",
      path: `${OIDC_PATH}/callback`,
      group: GROUP,
      summary: "Where the identity provider sends people back to",
      query: callbackQuery,
      responses: {
        302: { description: "To the dashboard: signed in, or behind `#sign-in-failed=` the word for why not." },
      },
      atomic: false,
      handler: (call: CallbackCall) => comeBack(deps, call),
    }),
  ];
}

async function comeBack(deps: ApiDeps, call: CallbackCall): Promise<Answer> {
  const { provider, flows, publicUrl } = provided(deps);
  const flow = flows.read(call.headers.cookie);
  const finish: Finish =
    flow === null
      ? { kind: "refused", failure: "not_begun", email: null, cause: null }
      : await provider.finish(call.query as Record<string, string>, flow);
  if (finish.kind === "refused") return await refuse(deps, call, finish);
  const account = await call.store.accounts.vouched(finish.who);
  if (account === null)
    return await refuse(deps, call, { failure: "no_account", email: finish.who.email, cause: null });
  const { cookie } = await call.atomically((store) => openSession(deps, call, store, account));
  return redirect(`${publicUrl}/`, [cookie, flows.endingCookie()]);
}

/** The audit has those whom the provider named. All else anybody could send, without end, and the audit keeps it for good. */
async function refuse(
  deps: ApiDeps,
  { address, requestId, tell }: Pick<Call, "address" | "requestId" | "tell">,
  { failure, email, cause }: Omit<Finish & { kind: "refused" }, "kind">,
): Promise<Answer> {
  const { flows, publicUrl } = provided(deps);
  deps.log.warn("session.refused", { email, failure, address, requestId, error: cause });
  if (email !== null)
    await tell(REFUSED_SESSION, { kind: "account", id: "", name: email, projectId: null, after: { failure } });
  return redirect(`${publicUrl}/#sign-in-failed=${failure}`, [flows.endingCookie()]);
}

function provided({ oidc }: ApiDeps): OidcSignIn {
  if (oidc !== null) return oidc;
  throw new PunctualError(
    "not_found",
    "people do not sign in through a provider here; GET /auth/ways tells how they do",
  );
}

function redirect(location: string, cookies: string[]): Answer {
  return { status: 302, headers: { location, "set-cookie": cookies, "cache-control": "no-store" } };
}
