-- People, what they may do, their sessions, and the audit.
-- Locks: job, dead_letter and api_key, for as long as an index on each is built and their rows are looked through once; about a
-- second for a million jobs. The previous version may keep running: it knows nobody but keys.

create table punctual.account (
  id uuid primary key,
  email text not null unique check (email = lower(email) and email ~ '^[^\s@]+@[^\s@]+$'),
  name text not null,
  -- What scrypt made of it, with its salt and cost; null: signs in by other ways only.
  password text check (password like '$scrypt$%'),
  -- Who the identity provider says it is, once it has said so.
  oidc_issuer text,
  oidc_subject text,
  instance_admin boolean not null,
  created_at timestamptz(3) not null,
  created_by text,
  unique (oidc_issuer, oidc_subject),
  check ((oidc_issuer is null) = (oidc_subject is null))
);

create table punctual.member (
  project_id uuid not null references punctual.project,
  account_id uuid not null references punctual.account,
  role text not null check (role in ('viewer', 'operator', 'editor', 'admin')),
  created_at timestamptz(3) not null,
  created_by text,
  primary key (project_id, account_id)
);
create index member_account on punctual.member (account_id);

-- A session that is over is not kept: the audit tells of it.
create table punctual.session (
  id uuid primary key,
  -- SHA-256 of what the cookie has.
  hash bytea not null unique check (octet_length(hash) = 32),
  account_id uuid not null references punctual.account,
  created_at timestamptz(3) not null,
  -- To the minute: written now and then, not with every request.
  last_seen_at timestamptz(3) not null,
  -- By not being used it ends sooner.
  idle_ms bigint not null check (idle_ms > 0),
  expires_at timestamptz(3) not null,
  address text not null,
  user_agent text not null
);
create index session_account on punctual.session (account_id, created_at);
create index session_expires on punctual.session (expires_at);

-- Links that work once. The first admin's is nobody's yet; a password's is for choosing one; a sign-in's opens a session.
create table punctual.link (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('setup', 'password', 'sign_in')),
  account_id uuid references punctual.account,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  check ((kind = 'setup') = (account_id is null))
);
create index link_account on punctual.link (account_id);
create index link_expires on punctual.link (expires_at);

-- ---------------------------------------------------------------------------------------------------------------
-- Who did what. Lines are added and never changed: whoever tries is refused, the owner of the tables too.
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.audit (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default clock_timestamp(),
  -- Null: it belongs to no project.
  project_id uuid references punctual.project,
  action text not null,
  actor_kind text not null check (actor_kind in ('key', 'session', 'token', 'nobody')),
  actor_id text not null,
  actor_name text not null,
  object_kind text,
  object_id text,
  object_name text,
  before jsonb,
  after jsonb,
  address text,
  request_id text
);
create index audit_project on punctual.audit (project_id, id);
create index audit_action on punctual.audit (project_id, action, id);
create index audit_actor on punctual.audit (project_id, actor_id, id);
create index audit_actor_name on punctual.audit (project_id, actor_name, id);
create index audit_object on punctual.audit (project_id, object_id, id);
create index audit_object_name on punctual.audit (project_id, object_name, id);

create function punctual.refuse_change() returns trigger language plpgsql as
$$
begin
  raise exception 'the audit is append-only: % is refused', lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;
create trigger append_only before update or delete or truncate on punctual.audit
  for each statement execute function punctual.refuse_change();
revoke update, delete, truncate on punctual.audit from public;

-- ---------------------------------------------------------------------------------------------------------------
-- What refers to something of a project names the project too, and the pair must exist: no row can point into another's.
-- ---------------------------------------------------------------------------------------------------------------

alter table punctual.job add constraint job_of_project unique (project_id, id);
alter table punctual.dead_letter add constraint dead_letter_of_job
  foreign key (project_id, job_id) references punctual.job (project_id, id);

alter table punctual.api_key add constraint api_key_of_project unique (project_id, id);
alter table punctual.api_key drop constraint api_key_replaced_by_fkey;
alter table punctual.api_key add constraint api_key_successor foreign key (project_id, replaced_by)
  references punctual.api_key (project_id, id) on delete set null (replaced_by);
