-- What the jobs that were there before 0006 use of their project.
-- Locks: the rows of jobs that use a secret or name a key, while they are filled in (about a minute and a half for a million jobs), and then job
-- against writing while an index is built over them. Jobs can be read and run all the while. The previous version may keep running.

update punctual.job j set uses = u.uses
from (
  select v.job_id, array(
    select distinct 'secret ' || m[1]
    from regexp_matches(v.spec -> 'target' #>> '{}', '\{\{(?:\s|\\[a-z])*secrets\.([A-Za-z_][A-Za-z0-9_]*)(?:\s|\\[a-z])*\}\}', 'g') m
    union all
    select 'signing-key ' || (v.spec -> 'target' ->> 'signingKey') where v.spec -> 'target' ->> 'signingKey' is not null
  ) as uses
  from punctual.job k join punctual.job_version v on v.job_id = k.id and v.version = k.version
  where k.uses = '{}'
) u
where u.job_id = j.id and u.uses <> '{}';
create index job_uses on punctual.job using gin (uses) with (fastupdate = off) where uses <> '{}';
