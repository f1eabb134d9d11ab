import type { JobSpec } from "../contract/job.ts";
import type { Json } from "../contract/json.ts";
import type { Target } from "../contract/target.ts";
import type { AttemptResult } from "../core/attempt.ts";
import type { AttemptSignal } from "./port/attempt-abort.ts";
import type { Accepted, Call, TargetRunner } from "./port.ts";

/** Gives each call to the runner of its kind of target. */
export class TargetRunners implements TargetRunner {
  readonly #runners: Partial<Record<Target["type"], TargetRunner<never>>>;

  constructor(runners: { [Type in Target["type"]]?: TargetRunner<Extract<Target, { type: Type }>> }) {
    this.#runners = runners as Partial<Record<Target["type"], TargetRunner<never>>>;
  }

  attempt(call: Call, signal: AttemptSignal): Promise<AttemptResult | Accepted> {
    const { type } = call.job.target;
    const runner = this.#runners[type] as TargetRunner | undefined;
    if (runner !== undefined) return runner.attempt(call, signal);
    return Promise.reject(new Error(`this node runs no ${type} targets and should not have claimed one`));
  }

  async cleaned(projectId: string, job: JobSpec, said: Json): Promise<Json> {
    const runner = this.#runners[job.target.type] as TargetRunner | undefined;
    return runner?.cleaned === undefined ? said : await runner.cleaned(projectId, job, said);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#runners).map((runner) => runner.close()));
  }
}
