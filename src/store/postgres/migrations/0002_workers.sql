-- Handlers in the users' own processes, execution logs, jobs declared in code.
-- Locks: queue, job, job_version and execution while columns are added, and queue while six indexes are built; short
-- unless the queue is very long. The previous version may keep running until the first job with a worker or shell target
-- is saved: it knows only http targets.

-- ---------------------------------------------------------------------------------------------------------------
-- What is claimed by name: lanes that begin with @ belong to handlers (core/lane.ts). They have indexes of their own, so
-- that work nobody takes is never in the way of the nodes' claims.
-- ---------------------------------------------------------------------------------------------------------------

drop index punctual.queue_claim;
drop index punctual.queue_due;
create index queue_claim on punctual.queue (priority, lane, run_at, id)
  where state <> 'running' and hold is null and lane not like '@%';
create index queue_due on punctual.queue (run_at, id) where state <> 'running' and hold is null and lane not like '@%';
create index queue_handler on punctual.queue (project_id, lane, priority, run_at, id)
  where state <> 'running' and hold is null and lane like '@%';
create index queue_handler_due on punctual.queue (project_id, lane, run_at, id)
  where state <> 'running' and hold is null and lane like '@%';
-- Fires that no worker took within their grace.
create index queue_untaken on punctual.queue (late_after)
  where state = 'scheduled' and hold is null and lane like '@%' and late_after is not null;
-- All fires of a job that wait for a worker, for the misfire policy to choose from.
create index queue_backlog on punctual.queue (job_id, scheduled_at)
  where trigger = 'schedule' and state = 'scheduled' and hold is null and lane like '@%';

alter table punctual.queue
  -- What the handler last said of how far it is.
  add column progress jsonb,
  add column log_lines integer not null default 0,
  add column log_bytes integer not null default 0;
alter table punctual.execution
  add column progress jsonb,
  add column log_lines integer not null default 0;

-- Who offers handlers. One lease row each; `holder` is what stands in queue.holder, made from project and id.
create table punctual.worker (
  holder uuid primary key,
  project_id uuid not null references punctual.project,
  id text not null check (id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  name text not null,
  kind text not null check (kind in ('remote', 'library')),
  -- [{"name": …, "slots": …}]
  handlers jsonb not null,
  draining boolean not null default false,
  lease_ms integer not null check (lease_ms > 0),
  started_at timestamptz(3) not null,
  renewed_at timestamptz(3) not null,
  lease_until timestamptz(3) not null,
  unique (project_id, id)
) with (fillfactor = 50);

-- Every handler that was ever offered, so that a job that names another can be told from one whose workers are away.
create table punctual.handler (
  project_id uuid not null references punctual.project,
  name text not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, name)
);

-- The jobs that want a handler.
create index job_handler on punctual.job (project_id, lane) where lane like '@%' and state in ('active', 'paused');

-- ---------------------------------------------------------------------------------------------------------------
-- What executions say while they run: one partition a day, like the ledger, by the execution's id
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.execution_log (
  execution_id uuid not null,
  attempt integer not null check (attempt > 0),
  seq integer not null check (seq > 0),
  at timestamptz(3) not null,
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  message text not null,
  fields json,
  primary key (execution_id, attempt, seq)
) partition by range (execution_id);

-- ---------------------------------------------------------------------------------------------------------------
-- Jobs declared in code or in a file
-- ---------------------------------------------------------------------------------------------------------------

-- Who declared a job last: an older release never overwrites a newer, and what nobody declares any more is paused.
create table punctual.code_job (
  job_id uuid primary key references punctual.job on delete cascade,
  app text not null,
  release text not null,
  declared_at timestamptz(3) not null,
  -- Since when it is known that nobody declares it. It is paused once then, and whoever resumes it by hand has the last word.
  undeclared_at timestamptz(3)
);
create index code_job_declared on punctual.code_job (app, declared_at) where undeclared_at is null;

-- From where each version was written (null: by hand), so that a change outside the declared source can be shown.
alter table punctual.job_version add column source text;

-- ---------------------------------------------------------------------------------------------------------------
-- How long history is kept: what the processes on this database were told, and when they last said so. Whoever was told
-- the longest time wins, so that a program with the default does not drop what the service is to keep.
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.kept_for (
  retention_ms bigint primary key check (retention_ms > 0),
  said_at timestamptz(3) not null
);
