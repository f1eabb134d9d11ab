-- What an execution writes, once more.
--
-- A claim writes one row and no index. PostgreSQL leaves all indexes of a row alone (a heap-only update) if nothing that
-- any of them looks at has changed and there is room on the row's page: so no index of the queue looks at what a claim changes.
-- Locks: queue while its indexes are built anew, short unless the queue is very long; execution while it is written anew, some
-- seconds for a million executions that are kept. The previous version must be stopped before: it writes `attempts` of another type.

-- What was claimed a moment ago, a row for every claim. After a second it goes, and what still
-- runs is marked in the queue (hold = 'running', held_by), which takes it out of the way of claims and into queue_held.
create table punctual.claim_batch (
  holder uuid not null,
  claimed_at timestamptz(3) not null,
  -- The first token of the claim, which the same request has again.
  token uuid not null,
  executions uuid[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- Random ids cannot be made smaller.
alter table punctual.claim_batch alter column executions set storage external;
create index claim_batch_age on punctual.claim_batch (claimed_at);
create index claim_batch_holder on punctual.claim_batch (holder);

alter table punctual.queue
  -- That it is to be claimed again: beside its state, because an index that looks at the state would be written by every claim.
  add column retrying boolean not null default false,
  -- The holder once more, of what has run for longer than a moment, for the same reason.
  add column held_by uuid,
  drop constraint queue_hold_check,
  drop constraint queue_check1;
drop index punctual.queue_holder;
update punctual.queue set hold = 'running', held_by = holder where state = 'running';
update punctual.queue set retrying = true where state = 'retrying';
alter table punctual.queue
  add check (hold in ('later', 'paused', 'overlap', 'running')),
  add check (state <> 'running' or ((hold is null or hold = 'running') and attempt > 0 and started_at is not null)),
  add check (hold <> 'running' or state = 'running'),
  add check (held_by is null or (hold = 'running' and held_by = holder)),
  -- Room for what a claim adds to every row of a page.
  set (fillfactor = 42);

-- What a node or worker has held for longer than a moment.
create index queue_held on punctual.queue (held_by, id) where hold = 'running';

drop index punctual.queue_retrying;
create index queue_retrying on punctual.queue (id) where retrying;

-- The last condition of each is always true: it is a name (see 0004).
drop index punctual.queue_claim;
drop index punctual.queue_due;
drop index punctual.queue_handler;
drop index punctual.queue_handler_due;
create index queue_claim on punctual.queue (priority, lane, run_at, id)
  where hold is null and lane not like '@%' and priority <= 100;
create index queue_due on punctual.queue (run_at, id)
  where hold is null and lane not like '@%' and priority >= 0;
create index queue_handler on punctual.queue (project_id, lane, priority, run_at, id)
  where hold is null and lane like '@%' and priority <= 100;
create index queue_handler_due on punctual.queue (project_id, lane, run_at, id)
  where hold is null and lane like '@%' and priority >= 0;

drop index punctual.queue_untaken;
create index queue_untaken on punctual.queue (late_after) where hold is null and lane like '@%' and late_after is not null;
-- Ids begin with their time: queue_job has a job's fires in the same order.
drop index punctual.queue_backlog;

-- Most executions succeed at once and there is nothing to tell of that attempt that does not stand in the row: then `attempts`
-- is empty, and these say who made it.
alter table punctual.execution add column node text, add column worker text;

-- Written once by every execution and read of few: text, which need only be looked through, and not taken apart.
alter table punctual.execution alter column attempts drop default;
alter table punctual.execution alter column attempts type json using attempts::json;
alter table punctual.execution alter column attempts set default '[]';

-- The same counts as before, with one look at every row instead of four.
create or replace function punctual.count_executions() returns trigger language plpgsql as
$$
begin
  insert into punctual.minute_count as c (minute, project_id, measure, bucket, shard, n)
  with tally as materialized (
    select a.project_id, a.state, punctual.bucket_of(a.duration_ms) as duration, punctual.bucket_of(a.lateness_ms) as lateness,
      count(*) as executions, sum(a.count) as instants, sum(a.attempt) as attempts
    from added a group by 1, 2, 3, 4
  )
  select date_trunc('minute', now()), t.project_id, t.measure, t.bucket, pg_backend_pid() % 16, sum(t.n)
  from (
    select project_id, state as measure, 0::smallint as bucket, instants as n from tally
    union all
    select project_id, 'attempt', 0::smallint, attempts from tally where attempts > 0
    union all
    select project_id, 'duration', duration, executions from tally where duration is not null
    union all
    select project_id, 'lateness', lateness, executions from tally where lateness is not null
  ) t
  group by t.project_id, t.measure, t.bucket
  order by t.project_id, t.measure, t.bucket
  on conflict (minute, project_id, measure, bucket, shard) do update set n = c.n + excluded.n;
  return null;
end
$$;
