import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From a millisecond to five minutes: below is on time, above is an outage and not a matter of degree. */
const LATENESS_BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const DURATION_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];
const PASS_BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Prometheus gives up after ten seconds; a database that hangs must not cost the metrics that need none. */
const COLLECT_MS_MAX = 2_000;

/** What this node counts and measures. Each node has its own; sums over nodes are the reader's. */
export class Metrics {
  readonly registry = new Registry();
  readonly #readers: (() => void | Promise<void>)[] = [];

  readonly plannerPassDuration = this.#histogram(
    "punctual_planner_pass_duration_seconds",
    "Time one planner pass took",
    PASS_BUCKETS_S,
  );
  readonly jobsPlanned = this.#counter("punctual_planner_jobs_planned_total", "Cursors moved by the planner");
  readonly fires = this.#counter("punctual_fires_total", "Instants that came due, by what became of them", "result");
  readonly claimContention = this.#gauge(
    "punctual_claim_contention_ratio",
    "Share of recent claims that found their work taken by others",
  );
  readonly claimsGivenBack = this.#counter(
    "punctual_claims_given_back_total",
    "Claims that were given back because they could not begin in time",
  );
  readonly fireLateness = this.#histogram(
    "punctual_fire_lateness_seconds",
    "From the instant an execution was due to the start of its first attempt",
    LATENESS_BUCKETS_S,
  );
  readonly schedulerLag = this.#gauge("punctual_scheduler_lag_seconds", "Age of the oldest due work not yet started");
  readonly executionsEnqueued = this.#counter("punctual_executions_enqueued_total", "Executions put into the queue");
  readonly executionsFinished = this.#counter(
    "punctual_executions_finished_total",
    "Executions that reached a final state",
    "state",
  );
  readonly executionDuration = this.#histogram(
    "punctual_execution_duration_seconds",
    "From the start of the first attempt to the final state",
    DURATION_BUCKETS_S,
  );
  readonly attempts = this.#counter("punctual_attempts_total", "Attempts made, by outcome", "outcome");
  readonly executionRetries = this.#counter("punctual_execution_retries_total", "Attempts that will be repeated");
  readonly targetResponses = this.#counter(
    "punctual_target_http_responses_total",
    "Responses of HTTP targets, by status code",
    "status",
  );
  /** Reset it before setting: a band that became empty has no row to say so. */
  readonly queueDepth = this.#gauge("punctual_queue_depth", "Due executions not yet started", "priority_band");
  readonly deadLetters = this.#gauge("punctual_dead_letters", "Dead letters nobody has dealt with");
  readonly dbPoolConnections = this.#gauge("punctual_db_pool_connections", "Connections to the database", "state");
  readonly workersActive = this.#gauge("punctual_workers_active", "Workers whose lease is not over");
  readonly handlersUnserved = this.#gauge(
    "punctual_handlers_unserved",
    "Handlers with due executions that no worker offers",
  );
  readonly staleWritesRefused = this.#counter(
    "punctual_stale_writes_refused_total",
    "Results refused because their claim was lost",
  );
  readonly collectErrors = this.#counter(
    "punctual_metrics_collect_errors_total",
    "Gauges that could not be read for a scrape and show their last value",
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** `read` runs at every scrape and sets gauges; when it fails or hangs, the scrape goes on with their last values. */
  collect(read: () => void | Promise<void>): void {
    this.#readers.push(read);
  }

  /** The text a scrape gets. */
  async render(): Promise<{ contentType: string; text: string }> {
    await Promise.all(this.#readers.map((read) => this.#tryToRead(read)));
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  async #tryToRead(read: () => void | Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("timed out")), COLLECT_MS_MAX);
    });
    try {
      await Promise.race([Promise.resolve().then(read), timeout]);
    } catch {
      this.collectErrors.inc();
    } finally {
      clearTimeout(timer);
    }
  }

  #counter<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #gauge<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }
}
