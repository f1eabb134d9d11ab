import type { Me, PunctualClient, Scope } from "punctual/client";
import { createContext, type ReactNode, use } from "react";

/** Who is signed in, the project they look at, and the client that acts for them in it. */
export interface Session {
  me: Me;
  project: { id: string; name: string };
  client: PunctualClient;
  /** Ends the session; the page then asks for a new one. */
  signOut(): Promise<void>;
  /** The server knows the session no more: whoever was signed in has to sign in again. */
  ended(hint: string): void;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error("there is no session around this component");
  return session;
}

export function useClient(): PunctualClient {
  return useSession().client;
}

/** Whether the person may do it. What they may not do is not offered: no button that then fails. */
export function useMay(scope: Scope): boolean {
  return useSession().me.scopes.includes(scope);
}
