-- Signing keys that are replaced while both sign, keys for single jobs, and what a job uses of its project.
-- Locks: signing_key and job for a moment while columns are added. The previous version may keep running, but makes no signing keys any more; it opens none that was
-- rotated: rotate only when all nodes are of this version. What it saves meanwhile is not found when a secret is deleted.

alter table punctual.signing_key
  add column version integer not null default 1 check (version > 0),
  -- project: signs the calls of all jobs that name no key; named: only of those that name it.
  add column use text not null default 'project' check (use in ('project', 'named')),
  -- Set when it is rotated: until then it signs beside its successor. Only the newest version of a name has no end.
  add column expires_at timestamptz(3),
  drop constraint signing_key_project_id_name_key,
  add unique (project_id, name, version);
create index signing_key_ended on punctual.signing_key (expires_at) where expires_at is not null;

-- What the target of a job's current version names, such as {"secret API_TOKEN", "signing-key main"}, so that neither can be
-- deleted from under it unnoticed. Filled in by 0008, which does not keep others from reading jobs meanwhile.
alter table punctual.job add column uses text[] not null default '{}';
