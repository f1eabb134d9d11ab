import type { Json } from "punctual/client";
import { useRef } from "react";
import { Card } from "../../ui/card.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { wallText } from "../../ui/wall-time.ts";
import { LOCAL_ZONE } from "../../ui/zone.ts";
import { CronBuilder } from "./cron-builder.tsx";
import { useField } from "./draft-context.tsx";
import { TextField } from "./draft-fields.tsx";
import { type ScheduleKind, scheduleKindOf, valueAt } from "./job-draft.ts";
import { RadioSegments } from "./radio-segments.tsx";
import { BoundFields } from "./schedule-bounds.tsx";
import { ClockField, ScheduleZone } from "./schedule-clock.tsx";

const KINDS: readonly (readonly [ScheduleKind, string])[] = [
  ["cron", "On a schedule"],
  ["every", "At intervals"],
  ["at", "Once"],
  ["manual", "Only when triggered"],
];
const HOUR_MS = 3_600_000;

/** When the job runs. */
export function ScheduleSection() {
  const { value: schedule, change } = useField("schedule");
  const kind = scheduleKindOf(schedule);
  // Who looks at another kind and comes back finds what they had.
  const before = useRef(new Map<ScheduleKind, Json>());
  const choose = (next: ScheduleKind) => {
    if (kind !== null) before.current.set(kind, schedule ?? null);
    change(before.current.get(next) ?? begin(next, zoneOf(schedule)));
  };
  return (
    <Card title="Schedule">
      <div className="flex flex-col gap-4">
        <RadioSegments label="When it runs" options={KINDS} value={kind} onChange={choose} />
        {kind === null && (
          <Notice tone="warn">
            The JSON has a schedule of a kind that the form does not know. Choose one above to replace it.
          </Notice>
        )}
        {kind === "manual" && (
          <p className="text-muted">
            It runs when somebody or something triggers it: here, by the API, or by another program.
          </p>
        )}
        {kind === "cron" && <CronFields />}
        {kind === "every" && <EveryField />}
        {kind === "at" && <OnceFields />}
        {(kind === "cron" || kind === "every") && <BoundFields kind={kind} />}
      </div>
    </Card>
  );
}

/** What a kind begins with. */
function begin(kind: ScheduleKind, timezone: string): Json {
  if (kind === "cron") return { cron: "0 9 * * *", timezone };
  if (kind === "every") return { every: "5m" };
  if (kind === "at") return { at: wallText(nextHour(), timezone), timezone };
  return null;
}

/** The first full hour that is at least one away. */
function nextHour(): Date {
  return new Date(Math.ceil((Date.now() + HOUR_MS) / HOUR_MS) * HOUR_MS);
}

function zoneOf(schedule: Json | undefined): string {
  const zone = valueAt(schedule, "timezone");
  return typeof zone === "string" ? zone : LOCAL_ZONE;
}

function CronFields() {
  const { value, problem, change } = useField("schedule.cron");
  return (
    <>
      <CronBuilder cron={typeof value === "string" ? value : ""} onChange={change} problem={problem} />
      <ScheduleZone />
    </>
  );
}

const UNITS = [
  ["s", "seconds"],
  ["m", "minutes"],
  ["h", "hours"],
  ["d", "days"],
  ["ms", "milliseconds"],
] as const;

function EveryField() {
  const { value, problem, change } = useField("schedule.every");
  const [, digits, unit] = /^(\d*)(ms|s|m|h|d)$/.exec(typeof value === "string" ? value : "") ?? [];
  if (digits === undefined || unit === undefined)
    return <TextField path="schedule.every" label="Every" about="Such as 30s, 5m, 2h or 1d." keepEmpty />;
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Field
        label="Every"
        about="Counted from when the job is made, or from when it starts, whatever clocks show."
        error={problem}
        className="max-w-sm"
      >
        {(wiring) => (
          <div className="flex gap-2">
            <Input
              {...wiring}
              inputMode="numeric"
              className="!w-24"
              value={digits}
              onChange={({ target }) => change(`${target.value.replace(/\D/g, "").slice(0, 12)}${unit}`)}
            />
            <Select
              aria-label="Unit"
              className="!w-36"
              options={UNITS}
              value={unit as (typeof UNITS)[number][0]}
              onChange={(next) => change(`${digits}${next}`)}
            />
          </div>
        )}
      </Field>
    </div>
  );
}

function OnceFields() {
  return (
    <div className="grid max-w-xl gap-4 sm:grid-cols-2">
      <ClockField path="schedule.at" label="At" />
      <ScheduleZone />
      <TextField
        path="retainFor"
        label="Keep it for"
        about="After it has run it is completed, and then deleted. Its executions stay."
      />
    </div>
  );
}
