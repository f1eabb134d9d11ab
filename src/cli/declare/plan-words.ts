// A plan as people and programs read it.

import type { Job } from "../../contract/job.ts";
import type { Paint } from "../output/colour.ts";
import { cut, harmless, widthOf, wrap } from "../output/text.ts";
import { describePlace, type FileProblem } from "./documents.ts";
import type { FieldChange } from "./field-changes.ts";
import { type Drift, type Plan, type StepOf, stepsOf } from "./plan.ts";

interface Look {
  paint: Paint;
  width: number;
  time: (instant: string) => string;
}

/** For a terminal: what would be done, one job after the other; what stays as it is is only counted. */
export function planText(plan: Plan, prune: boolean, look: Look): string {
  const changes = stepsOf(plan, "change");
  const parts = [
    ...stepsOf(plan, "create").map(({ declared, would }) => createdText(declared.name, would, look)),
    ...changes.filter(({ drift }) => drift === null).map((step) => changedText(step, look)),
    ...changes.filter(({ drift }) => drift !== null).map((step) => changedText(step, look)),
    ...stepsOf(plan, "prune").map(({ current }) => prunedText(current, prune, look)),
    ...stepsOf(plan, "refused").map(({ problems }) => problemsText(problems, look)),
  ];
  return [...parts, parts.length === 0 ? "" : "\n", `${summary(plan, prune)}\n`].join("");
}

/** For programs. */
export function planJson(plan: Plan) {
  return {
    create: stepsOf(plan, "create").map(({ declared: { name, source } }) => ({ job: name, source })),
    change: stepsOf(plan, "change").map(({ declared, current, would, fields, drift, adoptedFrom }) => ({
      job: declared.name,
      source: declared.source,
      fromVersion: current.version,
      toVersion: would.version,
      fields: fields.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null })),
      drift,
      ...(adoptedFrom === undefined ? {} : { adoptedFrom }),
    })),
    prune: stepsOf(plan, "prune").map(({ current: { name, source, version } }) => ({ job: name, source, version })),
    unchanged: stepsOf(plan, "unchanged").length,
    problems: stepsOf(plan, "refused").flatMap(({ problems }) => problems),
  };
}

export function summary(plan: Plan, prune: boolean): string {
  const changes = stepsOf(plan, "change");
  const drifted = changes.filter(({ drift }) => drift !== null).length;
  const prunes = stepsOf(plan, "prune").length;
  const refused = stepsOf(plan, "refused").length;
  return [
    `${stepsOf(plan, "create").length} to create`,
    `${changes.length} to change${drifted === 0 ? "" : ` (${drifted} drifted)`}`,
    ...(prunes === 0 ? [] : [prune ? `${prunes} to delete` : `${prunes} left over (see --prune)`]),
    `${stepsOf(plan, "unchanged").length} unchanged`,
    ...(refused === 0 ? [] : [`${refused} wrong`]),
  ].join(", ");
}

export function problemsText(
  problems: readonly FileProblem[],
  { paint, width }: Pick<Look, "paint" | "width">,
): string {
  return problems
    .map(({ place, job, field, message }) => {
      const about = [job, field].filter((part) => part !== null).join(" ");
      const heading = `${paint("bad", "x")} ${paint("strong", describePlace(place))} ${about}`.trimEnd();
      return `${heading}\n${wrap(harmless(message), Math.min(width, 100), "    ")}\n`;
    })
    .join("");
}

function createdText(name: string, { schedule, target }: Job, { paint, width }: Look): string {
  const what = `${scheduleWords(schedule)}, ${targetWords(target)}`;
  return `${paint("good", `+ ${name}`)}\n    ${cut(harmless(what), width - 4)}\n`;
}

function changedText({ declared, current, fields, drift, adoptedFrom, would }: StepOf<"change">, look: Look): string {
  const { paint } = look;
  const mark = drift === null ? paint("doubtful", `~ ${declared.name}`) : paint("bad", `! ${declared.name}`);
  const versions = would.version === current.version ? "" : ` (version ${current.version} → ${would.version})`;
  const notes = [
    ...(drift === null ? [] : [driftWords(drift, look)]),
    ...(adoptedFrom === undefined
      ? []
      : [adoptedFrom === null ? "taken over: it was made by hand" : `taken over from ${adoptedFrom}`]),
  ];
  const noted = notes.map((note) => `${wrap(note, Math.min(look.width, 100), "    ")}\n`).join("");
  return `${mark}${paint("faint", versions)}\n${noted}${fields.map((change) => changeText(change, look)).join("")}`;
}

function driftWords({ version, by, at, source }: Drift, { time }: Look): string {
  const who = by === null ? "somebody" : by;
  const where = source === null ? "by hand" : `from ${source}`;
  return `drifted: ${who} changed it ${where}, ${time(at)} (version ${version}); applying takes that back:`;
}

function prunedText({ name, source }: Job, prune: boolean, { paint }: Look): string {
  const fate = prune ? "is deleted" : "stays, unless --prune is given";
  return `${paint("bad", `- ${name}`)}\n    no longer declared by ${source}: ${fate}\n`;
}

/** Old and new beside each other if there is room, else below each other. */
function changeText({ field, from, to }: FieldChange, { paint, width }: Look): string {
  const [before, after] = [valueText(from), valueText(to)];
  const line = `    ${field}: ${before} → ${after}`;
  if (widthOf(line) <= width) return `    ${field}: ${paint("bad", before)} → ${paint("good", after)}\n`;
  const room = width - 8;
  return `    ${field}:\n      ${paint("bad", `- ${cut(before, room)}`)}\n      ${paint("good", `+ ${cut(after, room)}`)}\n`;
}

function valueText(value: unknown): string {
  return value === undefined ? "(none)" : harmless(JSON.stringify(value));
}

function scheduleWords(schedule: Job["schedule"]): string {
  if (schedule === null) return "when triggered";
  if ("cron" in schedule) return `${schedule.cron} (${schedule.timezone})`;
  return "every" in schedule ? `every ${schedule.every}` : `once at ${schedule.at}`;
}

function targetWords(target: Job["target"]): string {
  if (target.type === "http") return `${target.method} ${target.url}`;
  return target.type === "worker" ? `handler ${target.handler}` : [target.command, ...target.args].join(" ");
}
