-- Everything Punctual keeps, in a schema of its own so that it can live beside an application's tables.
-- Locks: only what it creates. The previous version may keep running: there is none.
--
-- The reading order is the way of a fire: job → cursor → queue → execution.

create schema if not exists punctual;

create table punctual.project (
  id uuid primary key,
  name text not null unique check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  created_at timestamptz(3) not null default now()
);

insert into punctual.project (id, name) values ('00000000-0000-7000-8000-000000000001', 'default');

-- ---------------------------------------------------------------------------------------------------------------
-- What and when
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.job (
  id uuid primary key,
  project_id uuid not null references punctual.project,
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  state text not null check (state in ('active', 'paused', 'completed', 'deleted')),
  version integer not null check (version > 0),
  source text,
  tags text[] not null default '{}',
  -- Of the current version, for triggers, which need nothing else of it.
  priority smallint not null,
  lane text not null,
  overlap text not null,
  pause_reason text,
  pause_by text,
  paused_at timestamptz(3),
  pause_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- One-time jobs: how long after completion they are kept.
  retain_for interval,
  -- When a completed one-time job is to be deleted, or a deleted job's last traces are to go.
  expires_at timestamptz(3),
  check ((state = 'paused') = (paused_at is not null))
);

create unique index job_name on punctual.job (project_id, name) where state <> 'deleted';
-- Lists walk each state by itself, by age or by name.
create index job_list on punctual.job (project_id, state, id);
create index job_list_name on punctual.job (project_id, state, name, id);
-- Without a pending list, which would make one of many saved jobs pay for all before it.
create index job_tags on punctual.job using gin (tags) with (fastupdate = off);
create index job_source on punctual.job (project_id, source, id) where source is not null;
create index job_pause_until on punctual.job (pause_until) where pause_until is not null;
create index job_expires on punctual.job (expires_at) where expires_at is not null;

create table punctual.job_version (
  job_id uuid not null references punctual.job,
  version integer not null check (version > 0),
  -- json, not jsonb, here and for payloads and results: what was written comes back as it was written, key by key.
  spec json not null,
  created_at timestamptz(3) not null,
  created_by text,
  primary key (job_id, version)
);

-- What a search looks at: the name and the beginning of the description, in small letters.
create function punctual.job_text(spec json) returns text language sql immutable parallel safe as
$$ select lower((spec ->> 'name') || ' ' || left(spec ->> 'description', 200)) $$;

-- All pieces of three letters: a text that contains another contains its pieces. A loop, because it is six times as fast
-- here as a set, and every saved job pays for it.
create function punctual.trigrams(of text) returns text[] language plpgsql immutable parallel safe as
$$
declare
  pieces text[] := '{}';
begin
  for i in 1 .. length(of) - 2 loop
    pieces := pieces || substr(of, i, 3);
  end loop;
  return pieces;
end
$$;

-- A short pending list: one saved job may pay for a few dozen before it, not for thousands.
create index job_version_search on punctual.job_version using gin (punctual.trigrams(punctual.job_text(spec)))
  with (gin_pending_list_limit = 128);

-- The next fire of each job: narrow and hot. All instants up to planned_until are in the ledger or the queue.
create table punctual.cursor (
  job_id uuid primary key references punctual.job,
  version integer not null,
  next_fire_at timestamptz(3),
  planned_until timestamptz(3) not null,
  runs integer not null default 0 check (runs >= 0),
  parked boolean not null default false,
  -- Zone and tz data by which next_fire_at was computed; null where no zone matters.
  zone text,
  tzdata text,
  check (next_fire_at > planned_until)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- The job's id makes the order complete, so that a list by next fire can stop within a crowd that fires at once.
create index cursor_due on punctual.cursor (next_fire_at, job_id) where not parked and next_fire_at is not null;
-- Those that will not fire: the end of that list.
create index cursor_idle on punctual.cursor (job_id) where parked or next_fire_at is null;
create index cursor_tzdata on punctual.cursor (tzdata) where zone is not null and next_fire_at is not null;

-- An instant as JSON has it.
create function punctual.iso(moment timestamptz) returns text language sql stable parallel safe as
$$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- ---------------------------------------------------------------------------------------------------------------
-- What is to be done: every execution that is not final
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.queue (
  id uuid primary key,
  project_id uuid not null,
  job_id uuid not null,
  -- The version the next attempt uses: moved along by every edit, unless pinned (a retry of the original version).
  version integer not null,
  pinned boolean not null default false,
  -- The version whose payload this execution has, unless it carries its own.
  payload_version integer not null,
  payload json,
  trigger text not null check (trigger in ('schedule', 'manual', 'retry')),
  state text not null check (state in ('scheduled', 'running', 'retrying')),
  -- Why it may not be claimed yet: due beyond the horizon, its job is paused, or it waits for another run of its job.
  hold text check (hold in ('later', 'paused', 'overlap')),
  -- The instant of the schedule; a trigger's own run_at; a retry's is that of the execution it repeats.
  scheduled_at timestamptz(3) not null,
  run_at timestamptz(3) not null,
  -- Beyond this moment a scheduled fire is no longer merely late: the misfire policy decides at the claim.
  late_after timestamptz(3),
  priority smallint not null check (priority between 0 and 100),
  lane text not null,
  overlap text not null check (overlap in ('allow', 'skip', 'queue_one', 'queue_all', 'cancel_previous', 'catch_up')),
  -- Counted in the job's gate from its first claim to its end.
  gated boolean not null,
  -- The last fire its schedule will ever have: its end completes the job.
  last_fire boolean not null default false,
  attempt integer not null default 0 check (attempt >= 0),
  claim uuid,
  -- The node or worker that has the claim; null while a callback is awaited, which outlives its sender.
  holder uuid,
  deadline timestamptz(3),
  started_at timestamptz(3),
  first_started_at timestamptz(3),
  -- Of the first start; run_at moves with every retry.
  lateness_ms integer,
  key text,
  retry_of uuid,
  -- The id sent as idempotency-key: that of the first execution in a chain of retries.
  root_id uuid not null,
  triggered_by text,
  created_at timestamptz(3) not null,
  check ((state = 'running') = (claim is not null)),
  check (state <> 'running' or (hold is null and attempt > 0 and started_at is not null)),
  check (state = 'running' or holder is null),
  check (state <> 'retrying' or attempt > 0),
  check (state <> 'scheduled' or attempt = 0),
  check ((trigger = 'retry') = (retry_of is not null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);

-- Claims go through the (priority, lane) groups that are present, best first, and within one by time.
create index queue_claim on punctual.queue (priority, lane, run_at, id) where state <> 'running' and hold is null;
-- The next moment at which anything is due, and the turn of the oldest.
create index queue_due on punctual.queue (run_at, id) where state <> 'running' and hold is null;
-- What waits for its time.
create index queue_later on punctual.queue (run_at) where hold = 'later';
-- All of a job: changes to it, overlap, lists.
create index queue_job on punctual.queue (job_id, id);
-- What a node holds: recovery, cancellation.
create index queue_holder on punctual.queue (holder) where holder is not null;
-- Callbacks that did not come.
create index queue_deadline on punctual.queue (deadline) where deadline is not null;
-- Lists of what is retrying, and of retries by hand: few among many.
create index queue_retrying on punctual.queue (id) where state = 'retrying';
create index queue_retry on punctual.queue (id) where trigger = 'retry';
create index queue_overlap on punctual.queue (job_id, run_at, id) where hold = 'overlap';

-- Attempts of executions that are not final yet; they move into the execution's row at its end.
create table punctual.attempt (
  execution_id uuid not null,
  number integer not null check (number > 0),
  claim uuid not null,
  detail jsonb not null,
  primary key (execution_id, number)
);

-- How many executions of a job are running or retrying, and how many wait for that. The row is what two nodes
-- meet at when both want to start one: its count is checked and set under its lock.
create table punctual.gate (
  job_id uuid primary key references punctual.job,
  active integer not null default 0 check (active >= 0),
  waiting integer not null default 0 check (waiting >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- ---------------------------------------------------------------------------------------------------------------
-- What became of it: the ledger, one partition a day, by id, because ids begin with their time
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.execution (
  id uuid primary key,
  project_id uuid not null,
  job_id uuid not null,
  job_version integer not null,
  payload_version integer not null,
  payload json,
  trigger text not null check (trigger in ('schedule', 'manual', 'retry')),
  state text not null check (state in ('succeeded', 'failed', 'cancelled', 'skipped', 'unknown')),
  reason_code text,
  reason_message text,
  scheduled_at timestamptz(3) not null,
  scheduled_until timestamptz(3),
  count integer not null default 1 check (count > 0),
  run_at timestamptz(3) not null,
  priority smallint not null,
  attempt integer not null,
  claim uuid,
  started_at timestamptz(3),
  finished_at timestamptz(3) not null,
  lateness_ms integer,
  duration_ms integer,
  result json,
  error jsonb,
  key text,
  retry_of uuid,
  root_id uuid not null,
  triggered_by text,
  created_at timestamptz(3) not null,
  attempts jsonb not null default '[]',
  check (state <> 'succeeded' or attempt > 0),
  check (state <> 'skipped' or (attempt = 0 and reason_code is not null)),
  check ((count > 1) = (scheduled_until is not null) or scheduled_until = scheduled_at)
) partition by range (id);

create index execution_job on punctual.execution (job_id, id);
create index execution_project on punctual.execution (project_id, id);
-- The states people look for are the rare ones.
create index execution_state on punctual.execution (project_id, state, id) where state <> 'succeeded';
create index execution_job_state on punctual.execution (job_id, state, id) where state <> 'succeeded';
create index execution_trigger on punctual.execution (project_id, trigger, id) where trigger <> 'schedule';

create table punctual.dead_letter (
  execution_id uuid primary key,
  project_id uuid not null,
  job_id uuid not null,
  status text not null default 'open' check (status in ('open', 'retried', 'discarded')),
  -- Job and kind of error, for dealing with many at once.
  fingerprint text not null,
  -- The ledger's row as it was (to_jsonb of it, with the payload filled in), because the ledger forgets sooner.
  execution jsonb not null,
  retried_as uuid,
  created_at timestamptz(3) not null,
  handled_at timestamptz(3),
  handled_by text,
  check ((status = 'open') = (handled_at is null)),
  check ((status = 'retried') = (retried_as is not null))
);

create index dead_letter_list on punctual.dead_letter (project_id, status, execution_id);
create index dead_letter_job on punctual.dead_letter (job_id, execution_id);
create index dead_letter_group on punctual.dead_letter (project_id, fingerprint) where status = 'open';
create index dead_letter_handled on punctual.dead_letter (handled_at) where handled_at is not null;

-- ---------------------------------------------------------------------------------------------------------------
-- Counting: added by the statement that writes the ledger, so that the two always agree
-- ---------------------------------------------------------------------------------------------------------------

-- `measure` is a final state (bucket 0), 'attempt' (bucket 0: attempts made), 'duration' or 'lateness' (bucket b
-- holds values up to 2^(b/8) milliseconds). `shard` keeps the nodes' connections off each other's rows.
create table punctual.minute_count (
  minute timestamptz(0) not null,
  project_id uuid not null,
  measure text not null,
  bucket smallint not null,
  shard smallint not null,
  n bigint not null,
  primary key (minute, project_id, measure, bucket, shard)
) with (fillfactor = 70);

create function punctual.bucket_of(ms integer) returns smallint language sql immutable parallel safe as
$$ select case when ms <= 1 then 0 else ceil(8 * ln(ms::float8) / ln(2::float8))::smallint end $$;

create function punctual.count_executions() returns trigger language plpgsql as
$$
begin
  insert into punctual.minute_count as c (minute, project_id, measure, bucket, shard, n)
  select date_trunc('minute', now()), project_id, measure, bucket, pg_backend_pid() % 16, sum(n)
  from (
    select project_id, state as measure, 0::smallint as bucket, sum(count) as n from added group by project_id, state
    union all
    select project_id, 'attempt', 0::smallint, sum(attempt) from added where attempt > 0 group by project_id
    union all
    select project_id, 'duration', punctual.bucket_of(duration_ms), count(*) from added where duration_ms is not null group by 1, 3
    union all
    select project_id, 'lateness', punctual.bucket_of(lateness_ms), count(*) from added where lateness_ms is not null group by 1, 3
  ) as tally
  group by project_id, measure, bucket
  order by project_id, measure, bucket
  on conflict (minute, project_id, measure, bucket, shard) do update set n = c.n + excluded.n;
  return null;
end
$$;

create trigger count_executions after insert on punctual.execution
  referencing new table as added for each statement execute function punctual.count_executions();

-- ---------------------------------------------------------------------------------------------------------------
-- Who does it, and what they need
-- ---------------------------------------------------------------------------------------------------------------

create table punctual.node (
  id uuid primary key,
  name text not null,
  roles text[] not null,
  version text not null,
  concurrency integer not null,
  started_at timestamptz(3) not null,
  renewed_at timestamptz(3) not null,
  lease_until timestamptz(3) not null
);

create table punctual.secret (
  project_id uuid not null references punctual.project,
  name text not null check (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$'),
  version integer not null check (version > 0),
  -- Which key of the ring sealed it, then nonce, ciphertext and tag.
  key_id text not null,
  sealed bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, name)
);

create table punctual.signing_key (
  id uuid primary key,
  project_id uuid not null references punctual.project,
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  key_id text not null,
  sealed bytea not null,
  created_at timestamptz(3) not null,
  unique (project_id, name)
);

-- Answers to POSTs that carried an Idempotency-Key, kept a day.
create table punctual.idempotency_key (
  project_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  response json,
  created_at timestamptz(3) not null,
  primary key (project_id, key)
);
create index idempotency_key_age on punctual.idempotency_key (created_at);

-- The `key` of triggers: the same key for the same job is the same execution.
create table punctual.trigger_key (
  job_id uuid not null,
  key text not null,
  execution_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (job_id, key)
);
create index trigger_key_age on punctual.trigger_key (created_at);
