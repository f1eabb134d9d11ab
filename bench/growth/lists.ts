// The lists that people and dashboards ask for, each through the API of a node.

import pg from "pg";
import type { ServiceNode } from "../support/service-node.ts";
import { BUSY_JOB } from "./ledger.ts";

/** The first calls of a list read what nobody has read before; afterwards it is what everybody looks at. */
const WARM_UP = 3;

/** Milliseconds of each call, by the name of the list. */
export async function timedLists(
  node: ServiceNode,
  { url, jobs, calls }: { url: string; jobs: number; calls: number },
): Promise<Map<string, number[]>> {
  const spans = new Map<string, number[]>();
  for (const [name, path] of Object.entries(await paths(url, jobs))) spans.set(name, await timed(node, path, calls));
  return spans;
}

async function paths(url: string, jobs: number): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const idOf = async (name: string) =>
    (await client.query<{ id: string }>("select id from punctual.job where name = $1", [name])).rows[0]!.id;
  const busy = await idOf(`job-${BUSY_JOB}`);
  const once = await idOf(`job-${jobs}`);
  const middle = await idOf(`job-${jobs / 2}`);
  const [execution] = (await client.query<{ id: string }>("select id from punctual.execution order by id limit 1"))
    .rows;
  await client.end();
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const list = (query: string) => `/api/v1/executions?limit=50${query}`;
  return {
    "executions, newest first": list(""),
    "executions, oldest first": list("&order=asc"),
    "executions up to a week ago": list(`&to=${weekAgo}`),
    failed: list("&state=failed"),
    "unknown or cancelled": list("&state=unknown,cancelled"),
    succeeded: list("&state=succeeded"),
    "running (none)": list("&state=running"),
    "triggered by hand": list("&trigger=manual"),
    "retries by hand (none)": list("&trigger=retry"),
    "of jobs with a rare tag": list("&tag=rare"),
    "of jobs with a common tag": list("&tag=common"),
    "failed, of jobs with a common tag": list("&tag=common&state=failed"),
    "of the busiest job": list(`&jobId=${busy}`),
    "of a job that ran once, the first day": list(`&jobId=${once}`),
    "failed, of one job": list(`&jobId=${middle}&state=failed`),
    "with attempts, payload and result": list("&include=attempts,payload,result"),
    "one execution": `/api/v1/executions/${execution!.id}`,
    "counts by state": "/api/v1/executions/counts",
    "counts by state, of one job": `/api/v1/executions/counts?jobId=${middle}`,
    "counts by state, of a common tag": "/api/v1/executions/counts?tag=common",
    "jobs with their last execution": "/api/v1/jobs?limit=50",
    "jobs with their recent runs": "/api/v1/jobs?limit=50&include=recent",
    "counts of jobs by state and tag": "/api/v1/job-counts",
    "statistics of an hour": "/api/v1/stats?window=1h",
    "statistics of 24 hours": "/api/v1/stats?window=24h",
    "statistics of 7 days": "/api/v1/stats?window=7d",
    "statistics of 30 days": "/api/v1/stats?window=30d",
    "statistics of the busiest job, 30 days": `/api/v1/jobs/${busy}/stats?window=30d`,
    "open dead letters": "/api/v1/dead-letters?status=open&limit=50",
    "dead letters of one job": `/api/v1/dead-letters?jobId=${middle}&limit=50`,
    "groups of open dead letters": "/api/v1/dead-letters/groups?status=open",
    "metrics for a scrape": "/metrics",
  };
}

async function timed(node: ServiceNode, path: string, calls: number): Promise<number[]> {
  const spans: number[] = [];
  for (let call = 0; call < WARM_UP + calls; call++) {
    const startedAt = performance.now();
    const response = await node.get(path);
    await response.text();
    if (call >= WARM_UP) spans.push(performance.now() - startedAt);
    // Something that takes seconds need not be asked forty times to be told.
    if (call >= WARM_UP && spans.reduce((sum, span) => sum + span, 0) > 10_000) break;
  }
  return spans;
}
