import type { Me } from "../contract/me.ts";
import type { AccountRecord } from "../store/port/accounts.ts";
import type { Store } from "../store/port.ts";
import type { ApiDeps } from "./deps.ts";
import type { Call } from "./route.ts";

/** Signs somebody in, whatever way they proved who they are, and notes it for the audit. */
export async function openSession(
  { sessions, log }: Pick<ApiDeps, "sessions" | "log">,
  call: Pick<Call, "headers" | "address" | "note">,
  store: Store,
  account: AccountRecord,
): Promise<{ cookie: string; me: Me }> {
  const userAgent = call.headers["user-agent"] ?? "";
  const { id, cookie, me } = await sessions.open(store, account, { address: call.address, userAgent });
  const actor = { kind: "session" as const, id: account.id, name: account.email };
  call.note({ kind: "session", id, name: account.email, projectId: null, actor });
  log.info("session.opened", { sessionId: id, by: account.email, address: call.address });
  return { cookie, me };
}
