-- A dead letter keeps its execution as text: it is written once by every failure and read of few.
-- Locks: dead_letter while it is written anew. The previous version may keep running.

alter table punctual.dead_letter alter column execution type json using execution::json;
