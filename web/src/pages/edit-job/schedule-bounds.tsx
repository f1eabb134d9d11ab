import { ChoiceField, NumberField } from "./draft-fields.tsx";
import { More } from "./more.tsx";
import { ClockField } from "./schedule-clock.tsx";

/** From when to when, how often, and what becomes of it when the clocks are changed. */
export function BoundFields({ kind }: { kind: "cron" | "every" }) {
  return (
    <More
      title={kind === "cron" ? "Limits and clock changes" : "Limits"}
      paths={["schedule.startsAt", "schedule.endsAt", "schedule.maxRuns", "schedule.dst"]}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <ClockField path="schedule.startsAt" label="Starts at" about="Before that it does not fire." />
        <ClockField path="schedule.endsAt" label="Ends at" about="From then on it does not fire any more." />
        <NumberField path="schedule.maxRuns" label="Runs at most" about="Then it is completed. Empty: no limit." />
        {kind === "cron" && (
          <>
            <ChoiceField
              path="schedule.dst.gap"
              label="When the clock skips the time"
              about="In spring, when the clocks go forward."
              options={[
                ["shift", "Run when the clock goes on"],
                ["skip", "Do not run on that day"],
              ]}
            />
            <ChoiceField
              path="schedule.dst.fold"
              label="When the time comes twice"
              about="In autumn, when the clocks go back."
              options={[
                ["first", "Run the first time only"],
                ["both", "Run both times"],
              ]}
            />
          </>
        )}
      </div>
    </More>
  );
}
