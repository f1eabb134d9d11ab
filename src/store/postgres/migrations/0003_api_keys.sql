-- API keys that are kept in the database, and projects that come and go.
-- Locks: project, for a moment. The previous version may keep running: it knows no kept keys, and answers them with a 401.

create table punctual.api_key (
  -- The part of the key that may be shown, and by which it is looked up.
  id text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
  project_id uuid not null references punctual.project,
  name text not null check (name <> ''),
  -- SHA-256 of the secret part. The key itself is shown once and kept nowhere.
  hash bytea not null check (octet_length(hash) = 32),
  scopes text[] not null check (
    cardinality(scopes) > 0 and scopes <@ array['read', 'operate', 'write', 'work', 'metrics', 'admin']
  ),
  instance_admin boolean not null check (not instance_admin or 'admin' = any(scopes)),
  created_at timestamptz(3) not null,
  created_by text,
  expires_at timestamptz(3),
  -- To the minute: written now and then, not with every request.
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The key it was rotated to. It ends at expires_at, which the rotation has set.
  replaced_by text references punctual.api_key on delete set null,
  check (replaced_by is null or expires_at is not null)
);

create index api_key_list on punctual.api_key (project_id, created_at desc, id);
create index api_key_replaced_by on punctual.api_key (replaced_by) where replaced_by is not null;
-- What has ended, for the sweep.
create index api_key_ended on punctual.api_key (least(revoked_at, expires_at)) where least(revoked_at, expires_at) is not null;

-- A deleted project's rows stay, because its history refers to it; its name can be used again.
alter table punctual.project add column deleted_at timestamptz(3);
alter table punctual.project drop constraint project_name_key;
create unique index project_name on punctual.project (name) where deleted_at is null;
create index project_list on punctual.project (id) where deleted_at is null;
