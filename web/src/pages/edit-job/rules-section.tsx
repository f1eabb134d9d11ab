import { Card } from "../../ui/card.tsx";
import { useField } from "./draft-context.tsx";
import { ChoiceField, NumberField, TextField } from "./draft-fields.tsx";
import { More } from "./more.tsx";

const MISSED_PATHS = ["misfire.grace", "misfire.limit", "misfire.window"];

/** How runs get along with one another, with outages and with other jobs. */
export function RulesSection() {
  const policy = useField("misfire.policy").value;
  return (
    <Card title="Rules">
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <ChoiceField
            path="overlap"
            label="If the run before is not finished"
            options={[
              ["skip", "Skip this one"],
              ["allow", "Run beside it"],
              ["queue_one", "Wait for it, one at most"],
              ["queue_all", "Wait for it, all of them"],
              ["cancel_previous", "Cancel the one before"],
            ]}
          />
          <ChoiceField
            path="misfire.policy"
            label="After an outage, for instants that were missed"
            options={[
              ["fire_once", "Run once, for the latest"],
              ["fire_all", "Run all of them"],
              ["skip", "Run none of them"],
            ]}
            about="Whatever is chosen, those that do not run are on record as skipped."
          />
          <TextField
            path="timeout"
            label="Time limit of an attempt"
            about="The wait for a report back included. Such as 90s, 5m or 2h."
          />
          <NumberField
            path="priority"
            label="Priority"
            about="0 to 100. When there is a queue, the higher goes first."
          />
        </div>
        <More title="Delivery and missed instants" paths={["delivery", ...MISSED_PATHS]}>
          <div className="grid gap-4 sm:grid-cols-2">
            <ChoiceField
              path="delivery"
              label="When it is in doubt whether it ran"
              options={[
                ["at_least_once", "Run it again (at least once)"],
                ["at_most_once", "Do not run it again (at most once)"],
              ]}
              about="As when a machine is lost in the middle of it."
            />
            <TextField
              path="misfire.grace"
              label="Late is missed after"
              placeholder="60s, or until the next instant"
              about="Until then it is merely late, and runs."
            />
            {policy === "fire_all" && (
              <>
                <NumberField path="misfire.limit" label="Run at most so many" about="1 to 1000." />
                <TextField path="misfire.window" label="Of the last" about="Such as 24h." />
              </>
            )}
          </div>
        </More>
      </div>
    </Card>
  );
}
