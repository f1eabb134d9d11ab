import type { Role } from "../../contract/account.ts";

export interface AccountRecord {
  id: string;
  email: string;
  name: string;
  instanceAdmin: boolean;
}

/** With what a password is compared to; null: signs in by other ways. */
export interface AccountWithPassword extends AccountRecord {
  password: string | null;
}

export interface Membership {
  projectId: string;
  projectName: string;
  role: Role;
}

export interface MemberRecord {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
  createdBy: string | null;
}

export interface SessionRecord {
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  address: string;
  userAgent: string;
}

/** A session as it is asked for when somebody comes with it. */
export interface PresentedSession {
  id: string;
  account: AccountRecord;
  memberships: Membership[];
  /** Until it ends, from the moment of the look. */
  msLeft: number;
}

export interface NewSession {
  accountId: string;
  hash: Buffer;
  idleMs: number;
  lifeMs: number;
  address: string;
  userAgent: string;
}

/** What a link is good for. */
export type Link = { kind: "setup"; account: null } | { kind: "password" | "sign_in"; account: AccountRecord };

export interface NewLink {
  hash: Buffer;
  kind: Link["kind"];
  accountId: string | null;
  lifeMs: number;
}

export interface AccountStore {
  /** Somebody who has the address already is left as they are. */
  ensure(account: {
    email: string;
    name: string;
    instanceAdmin: boolean;
    createdBy: string;
  }): Promise<AccountRecord & { made: boolean }>;
  findByEmail(email: string): Promise<AccountWithPassword | null>;
  find(id: string): Promise<AccountWithPassword | null>;
  /** Whether it still has the password that was compared; if so, nobody changes it before the transaction is over. */
  holdPassword(id: string, password: string): Promise<boolean>;
  /** Ends every session of theirs but the one named, and every link that would let somebody in. */
  setPassword(id: string, password: string, options: { exceptSession: string | null }): Promise<void>;
  makeInstanceAdmin(id: string): Promise<void>;
  /** Nothing is left by which they could come in or act: no role, no password, no provider's word, no session, no link. */
  shutOut(id: string): Promise<void>;
  /**
   * The account that an identity provider vouches for: known by its subject, or, the first time, by its address. Null if
   * nobody here has that address, or another subject of the same provider has it.
   */
  vouched(who: { issuer: string; subject: string; email: string }): Promise<AccountRecord | null>;
  /** True while no instance admin can sign in. */
  needsSetup(): Promise<boolean>;
  /** The first admin, unless there is one already. */
  setUp(admin: { email: string; name: string; password: string }): Promise<AccountRecord | null>;

  addLink(link: NewLink): Promise<void>;
  /** What the link is good for, while it is. */
  findLink(hash: Buffer): Promise<Link | null>;
  /** True for one caller only, and then it is good for nothing any more. */
  takeLink(hash: Buffer): Promise<boolean>;
}

export interface SessionStore {
  open(session: NewSession): Promise<SessionRecord>;
  /** By what its cookie has; null if it is over. */
  present(hash: Buffer): Promise<PresentedSession | null>;
  list(accountId: string): Promise<SessionRecord[]>;
  revoke(accountId: string, id: string): Promise<boolean>;
  /** Notes that they were used just now, at most once a minute each. */
  noteUse(ids: string[]): Promise<void>;
}

export interface MemberStore {
  list(
    projectId: string,
    page: { after: string | null; limit: number },
  ): Promise<{ items: MemberRecord[]; next: string | null }>;
  find(projectId: string, accountId: string): Promise<MemberRecord | null>;
  /** Null if there is no such project (any more). */
  add(
    projectId: string,
    member: { accountId: string; role: Role; actor: string },
  ): Promise<MemberRecord | "is_member" | null>;
  change(projectId: string, accountId: string, role: Role): Promise<MemberRecord | null>;
  remove(projectId: string, accountId: string): Promise<boolean>;
}
