import { Field, Input } from "../../ui/field.tsx";
import { wallTextOf } from "../../ui/wall-time.ts";
import { isKnownZone } from "../../ui/zone.ts";
import { useDraft, useField } from "./draft-context.tsx";
import { valueAt, withValue } from "./job-draft.ts";
import { ZonePicker } from "./zone-picker.tsx";

/** The zone of the schedule. A time that was written for a clock stays on the clock: nine o'clock in Berlin becomes nine o'clock in Tokyo. */
export function ScheduleZone() {
  const { draft, change } = useDraft();
  const { value, problem } = useField("schedule.timezone");
  const zone = typeof value === "string" ? value : "UTC";
  const choose = (next: string) => {
    let schedule = withValue(draft, "schedule.timezone", next);
    for (const path of ["schedule.at", "schedule.startsAt", "schedule.endsAt"]) {
      const written = valueAt(draft, path);
      if (typeof written === "string" && isKnownZone(zone))
        schedule = withValue(schedule, path, wallTextOf(written, zone));
    }
    change("schedule", schedule.schedule);
  };
  return <ZonePicker value={zone} onChange={choose} error={problem} className="max-w-sm" />;
}

/** Date and time on the clock of the schedule's zone. */
export function ClockField({ path, label, about }: { path: string; label: string; about?: string }) {
  const { draft, change } = useDraft();
  const { value, problem } = useField(path);
  const written = valueAt(draft, "schedule.timezone");
  const zone = typeof written === "string" && isKnownZone(written) ? written : "UTC";
  const shown = typeof value === "string" ? wallTextOf(value, zone) : "";
  const set = (next: string) => {
    const changed = withValue(draft, path, next === "" && path !== "schedule.at" ? undefined : next);
    change("schedule", withValue(changed, "schedule.timezone", written ?? zone).schedule);
  };
  return (
    <Field label={label} about={`${about === undefined ? "" : `${about} `}On the clock of ${zone}.`} error={problem}>
      {(wiring) => (
        <Input
          {...wiring}
          type="datetime-local"
          // Seconds are shown where there are any.
          step={shown.length > 16 ? 1 : undefined}
          value={shown}
          onChange={({ target }) => set(target.value)}
        />
      )}
    </Field>
  );
}
