// Is the work being done, and by whom?

import type { DatabaseExamination } from "../../main.ts";
import { lasting } from "../output/time.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type Value<T> = T extends { value: infer V } ? V : never;
type Work = Value<NonNullable<DatabaseExamination["schema"]>["work"]>;

const LAG_MS = { warning: 10_000, problem: 60_000 };
/** Nodes that are gone are forgotten after a minute, by those that are there. */
const DEAD_MS_MAX = 5 * 60_000;

export function judgeWork(work: Work): Finding[] {
  return [
    ...judgeNodes(work.nodes),
    ...judgeLag(work),
    ...judgeAbandoned(work),
    ...judgeHandlers(work.unserved),
    judgeDeadLetters(work.deadLetters),
  ];
}

function judgeNodes(nodes: Work["nodes"]): Finding[] {
  const alive = nodes.filter((node) => node.alive);
  const findings: Finding[] = [];
  const versions = [...new Set(alive.map(({ version }) => version))];
  if (alive.length === 0) findings.push(problem("Nodes", "none is alive: nothing is started", "punctual serve"));
  else {
    for (const role of ["planner", "dispatcher"])
      if (!alive.some(({ roles }) => roles.includes(role)))
        findings.push(
          problem("Nodes", `none has the role ${role}`, `start one with PUNCTUAL_ROLES containing ${role}`),
        );
    if (versions.length > 1)
      findings.push(
        warning("Nodes", `they run different versions: ${versions.sort().join(", ")}`, "finish the upgrade"),
      );
    if (findings.length === 0)
      findings.push(ok("Nodes", `${alive.length} alive: ${alive.map(({ name }) => name).join(", ")}`));
  }
  const dead = nodes.filter((node) => !node.alive && node.deadMs > DEAD_MS_MAX);
  if (dead.length > 0)
    findings.push(
      warning(
        "Nodes",
        `${dead.map(({ name }) => name).join(", ")} did not leave and ${dead.length === 1 ? "is" : "are"} silent for ${lasting(Math.min(...dead.map(({ deadMs }) => deadMs)))}`,
        alive.length === 0
          ? "start a node: it takes over what they held"
          : "look in the nodes' logs for recovery: they should have been forgotten",
      ),
    );
  return findings;
}

function judgeLag({ lagMs, planningLagMs, nodes }: Work): Finding[] {
  const slots = nodes.filter(({ alive }) => alive).reduce((sum, { concurrency }) => sum + concurrency, 0);
  const more = `start more nodes, or raise PUNCTUAL_CONCURRENCY (now ${slots} at once in all)`;
  const findings = [
    ...lateness(lagMs, "the oldest execution that is due waits", more),
    ...lateness(
      planningLagMs,
      "the oldest schedule to be planned waits",
      "look in the log of the nodes with the role planner",
    ),
  ];
  return findings.length > 0 ? findings : [ok("Lag", `${lasting(lagMs ?? 0)}`)];
}

function lateness(ms: number | null, what: string, remedy: string): Finding[] {
  if (ms === null || ms < LAG_MS.warning) return [];
  return [(ms >= LAG_MS.problem ? problem : warning)("Lag", `${what} for ${lasting(ms)}`, remedy)];
}

function judgeAbandoned({ abandoned, overdueCallbacks }: Work): Finding[] {
  const recovery = "look in the nodes' logs for recovery; a node that is alive takes them over within a minute";
  return [
    ...(abandoned === 0
      ? []
      : [problem("Claims", `${abandoned} running executions are held by nobody who is alive`, recovery)]),
    ...(overdueCallbacks === 0
      ? []
      : [problem("Claims", `${overdueCallbacks} executions wait for a callback past their timeout`, recovery)]),
    ...(abandoned + overdueCallbacks === 0 ? [ok("Claims", "none is stuck")] : []),
  ];
}

function judgeHandlers(unserved: Work["unserved"]): Finding[] {
  if (unserved.length === 0) return [ok("Handlers", "nothing waits for one that nobody offers")];
  return unserved.map(({ project, handler, waiting, oldestMs }) =>
    warning(
      "Handlers",
      `nobody offers "${handler}" in project "${project}": ${waiting} ${waiting === 1 ? "waits" : "wait"}, the oldest for ${lasting(oldestMs)}`,
      `start a worker that handles "${handler}", or correct the name in the job`,
    ),
  );
}

function judgeDeadLetters(count: number): Finding {
  if (count === 0) return ok("Dead letters", "none open");
  return warning(
    "Dead letters",
    `${count >= 10_000 ? "10,000 or more" : count} open`,
    "punctual dead-letters list, then retry or discard them",
  );
}
