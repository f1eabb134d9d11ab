// A job as somebody would have written it: what is as it would be anyway is left out. Reading the short form back gives
// the same job; that is all that is promised, and a test tries it with everything a job can be.

import { type Job, jobInputSchema } from "../../contract/job.ts";
import { sameJson } from "../../core/same-json.ts";
import { isFields } from "../declare/defaults.ts";

type Fields = Record<string, unknown>;

const FIELDS = Object.keys(jobInputSchema.shape).filter((field) => field !== "name") as (keyof Job)[];
const PRESET = jobInputSchema.parse({ target: { type: "worker", handler: "any" } }) as Fields;
const SCHEDULE_DEFAULTS = { timezone: "UTC", dst: { gap: "shift", fold: "first" } };

export function shortJob(job: Job): Fields {
  const { schedule, target } = job;
  const short: Fields = {};
  for (const field of FIELDS) {
    const value = job[field];
    if (value === undefined || sameJson(value, PRESET[field])) continue;
    short[field] = field === "retry" || field === "misfire" ? without(value as Fields, PRESET[field] as Fields) : value;
  }
  if (schedule !== null)
    short.schedule = without(schedule as unknown as Fields, "cron" in schedule ? SCHEDULE_DEFAULTS : {});
  short.target = without(target as Fields, targetDefaults(target));
  // In the order of the contract, which is how a job is told: what it is, when, and what it does.
  return Object.fromEntries(FIELDS.filter((field) => field in short).map((field) => [field, short[field]]));
}

/** What the target's kind fills in by itself: as much as stays when everything optional is taken away. */
function targetDefaults(target: Job["target"]): Fields {
  const least: Record<Job["target"]["type"], Fields> = {
    http: { url: "https://host.example/" },
    worker: { handler: "handler" },
    shell: { command: "command" },
  };
  const { type, ...rest } = jobInputSchema.parse({ target: { type: target.type, ...least[target.type] } }).target;
  const needed = Object.keys(least[target.type]);
  return Object.fromEntries(Object.entries(rest).filter(([field]) => !needed.includes(field)));
}

function without(fields: Fields, preset: Fields): Fields {
  const kept = Object.entries(fields).filter(([field, value]) => !(field in preset) || !sameJson(value, preset[field]));
  return Object.fromEntries(
    kept.map(([field, value]) => [
      field,
      field === "dst" && isFields(value) ? without(value, SCHEDULE_DEFAULTS.dst) : value,
    ]),
  );
}
