-- Fewer and better indexes: what every execution writes.
-- Locks: queue while two indexes are built, short unless the queue is very long; execution while the primary key of every
-- day is built anew, about a second for a million executions that are kept. The previous version may keep running: it finds
-- the same rows, some of them by slower ways.

-- By time alone, whatever the priority. The last condition is always true: it is a name. A statement that says it may use the
-- index, and one that looks for a priority or a lane cannot be led to it by statistics of another moment.
drop index punctual.queue_due;
drop index punctual.queue_handler_due;
create index queue_due on punctual.queue (run_at, id)
  where state <> 'running' and hold is null and lane not like '@%' and priority >= 0;
create index queue_handler_due on punctual.queue (project_id, lane, run_at, id)
  where state <> 'running' and hold is null and lane like '@%' and priority >= 0;

-- The ledger is asked for by project: one index instead of two, and no reference can cross projects.
alter table punctual.execution drop constraint execution_pkey;
drop index punctual.execution_project;
alter table punctual.execution add primary key (project_id, id);
