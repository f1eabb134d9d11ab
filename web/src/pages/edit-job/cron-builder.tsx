import { useState } from "react";
import { Field, Input, Select } from "../../ui/field.tsx";
import {
  type CronPlan,
  changeKind,
  HOUR_STEPS,
  MINUTE_STEPS,
  type MonthDay,
  type PlanKind,
  readPlan,
  writePlan,
} from "./cron-plan.ts";
import { DayButtons } from "./day-buttons.tsx";

const KINDS: readonly (readonly [PlanKind | "custom", string])[] = [
  ["minutes", "Every few minutes"],
  ["hours", "Every few hours"],
  ["daily", "Every day"],
  ["weekdays", "Monday to Friday"],
  ["weekly", "On days of the week"],
  ["monthly", "On days of the month"],
  ["custom", "Custom expression"],
];

const WEEKDAYS = [
  [1, "Mon"],
  [2, "Tue"],
  [3, "Wed"],
  [4, "Thu"],
  [5, "Fri"],
  [6, "Sat"],
  [0, "Sun"],
] as const;

/** Writes an expression from what is chosen, and shows one that was typed as what it means, if it can be said here. */
export function CronBuilder({
  cron,
  onChange,
  problem,
}: {
  cron: string;
  onChange: (cron: string) => void;
  problem: string | null;
}) {
  const read = readPlan(cron);
  // Who chose to write the expression themselves is taken at their word until they have written one.
  const [byHand, setByHand] = useState(false);
  const plan = byHand ? null : read;
  const choose = (kind: PlanKind | "custom") => {
    setByHand(kind === "custom");
    if (kind !== "custom") onChange(writePlan(changeKind(read, kind)));
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-4">
        <Field label="Runs" className="w-52 max-w-full">
          {(wiring) => <Select {...wiring} options={KINDS} value={plan?.kind ?? "custom"} onChange={choose} />}
        </Field>
        {plan !== null && <PlanFields plan={plan} onChange={(next) => onChange(writePlan(next))} />}
      </div>
      <Field
        label="Cron expression"
        about="Minute, hour, day of month, month, day of week; with a sixth in front, the second."
        error={problem}
      >
        {(wiring) => (
          <Input
            {...wiring}
            className="font-mono"
            spellCheck={false}
            placeholder="0 9 * * 1-5"
            value={cron}
            onChange={({ target }) => {
              setByHand(false);
              onChange(target.value);
            }}
          />
        )}
      </Field>
    </div>
  );
}

function PlanFields({ plan, onChange }: { plan: CronPlan; onChange: (plan: CronPlan) => void }) {
  if (plan.kind === "minutes")
    return (
      <StepField
        label="How often"
        noun="minute"
        steps={MINUTE_STEPS}
        value={plan.every}
        onChange={(every) => onChange({ ...plan, every })}
      />
    );
  if (plan.kind === "hours")
    return (
      <>
        <StepField
          label="How often"
          noun="hour"
          steps={HOUR_STEPS}
          value={plan.every}
          onChange={(every) => onChange({ ...plan, every })}
        />
        <Field label="At minute" className="w-24">
          {(wiring) => (
            <Select
              {...wiring}
              options={MINUTES}
              value={String(plan.minute)}
              onChange={(minute) => onChange({ ...plan, minute: Number(minute) })}
            />
          )}
        </Field>
      </>
    );
  return (
    <>
      <Field label="At" className="w-32">
        {(wiring) => (
          <Input
            {...wiring}
            type="time"
            required
            value={`${two(plan.hour)}:${two(plan.minute)}`}
            onChange={({ target }) => {
              // Emptied, the field has no time: the one before holds until there is a new one.
              const [hour, minute] = target.value.split(":").map(Number);
              if (hour !== undefined && minute !== undefined) onChange({ ...plan, hour, minute });
            }}
          />
        )}
      </Field>
      {plan.kind === "weekly" && (
        <DayButtons
          label="Days of the week"
          all={WEEKDAYS}
          chosen={plan.days}
          onChange={(days) => onChange({ ...plan, days: days as number[] })}
        />
      )}
      {plan.kind === "monthly" && (
        <DayButtons
          label="Days of the month"
          all={MONTH_DAYS}
          chosen={plan.days}
          onChange={(days) => onChange({ ...plan, days })}
        />
      )}
    </>
  );
}

const two = (value: number) => String(value).padStart(2, "0");
const MINUTES = Array.from({ length: 60 }, (_, minute) => [String(minute), `:${two(minute)}`] as const);
const MONTH_DAYS: readonly (readonly [MonthDay, string])[] = [
  ...Array.from({ length: 31 }, (_, index) => [index + 1, String(index + 1)] as const),
  ["L", "Last day"],
];

function StepField({
  label,
  noun,
  steps,
  value,
  onChange,
}: {
  label: string;
  noun: string;
  steps: readonly number[];
  value: number;
  onChange: (step: number) => void;
}) {
  const options = steps.map((step) => [String(step), step === 1 ? `Every ${noun}` : `Every ${step} ${noun}s`] as const);
  return (
    <Field label={label} className="w-44">
      {(wiring) => (
        <Select {...wiring} options={options} value={String(value)} onChange={(step) => onChange(Number(step))} />
      )}
    </Field>
  );
}
