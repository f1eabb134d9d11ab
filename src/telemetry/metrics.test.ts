import { expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

const NAMES = [
  "punctual_planner_pass_duration_seconds",
  "punctual_planner_jobs_planned_total",
  "punctual_fires_total",
  "punctual_claim_contention_ratio",
  "punctual_claims_given_back_total",
  "punctual_fire_lateness_seconds",
  "punctual_scheduler_lag_seconds",
  "punctual_executions_enqueued_total",
  "punctual_executions_finished_total",
  "punctual_execution_duration_seconds",
  "punctual_attempts_total",
  "punctual_execution_retries_total",
  "punctual_target_http_responses_total",
  "punctual_queue_depth",
  "punctual_dead_letters",
  "punctual_db_pool_connections",
  "punctual_stale_writes_refused_total",
];

test("the documented names are there, beside those of the process", async () => {
  const { text, contentType } = await new Metrics().render();
  for (const name of NAMES) expect(text).toContain(`# TYPE ${name} `);
  expect(text).toContain("process_cpu_seconds_total");
  expect(text).toContain("nodejs_eventloop_lag_seconds");
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
});

test("two nodes in one process count apart", async () => {
  const [a, b] = [new Metrics(), new Metrics()];
  a.executionsFinished.inc({ state: "succeeded" }, 3);
  expect((await a.render()).text).toContain('punctual_executions_finished_total{state="succeeded"} 3');
  expect((await b.render()).text).not.toContain('state="succeeded"');
});

test("gauges are read at the scrape", async () => {
  const metrics = new Metrics();
  let depth = 1;
  metrics.collect(async () => metrics.queueDepth.set({ priority_band: "50" }, depth));
  expect((await metrics.render()).text).toContain('punctual_queue_depth{priority_band="50"} 1');
  depth = 7;
  expect((await metrics.render()).text).toContain('punctual_queue_depth{priority_band="50"} 7');
});

test("a scrape goes on when a gauge cannot be read, and counts it", async () => {
  const metrics = new Metrics();
  metrics.collect(() => {
    throw new Error("no database");
  });
  metrics.collect(() => metrics.deadLetters.set(4));
  const { text } = await metrics.render();
  expect(text).toContain("punctual_dead_letters 4");
  expect(text).toContain("punctual_metrics_collect_errors_total 1");
});

test("a fire one millisecond late and one five minutes late are told apart from all others", async () => {
  const metrics = new Metrics();
  metrics.fireLateness.observe(0.001);
  metrics.fireLateness.observe(300);
  const { text } = await metrics.render();
  expect(text).toContain('punctual_fire_lateness_seconds_bucket{le="0.001"} 1');
  expect(text).toContain('punctual_fire_lateness_seconds_bucket{le="120"} 1');
  expect(text).toContain('punctual_fire_lateness_seconds_bucket{le="300"} 2');
});
