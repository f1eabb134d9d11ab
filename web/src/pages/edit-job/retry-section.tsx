import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { useDraft, useField } from "./draft-context.tsx";
import { ChoiceField, ListField, NumberField, TextField } from "./draft-fields.tsx";
import { PRESETS } from "./job-draft.ts";
import { More } from "./more.tsx";
import { retryText } from "./retry-delays.ts";

/** What happens when it fails. */
export function RetrySection() {
  const { draft } = useDraft();
  const jitter = useField("retry.jitter");
  const backoff = useField("retry.backoff").value;
  const { retry } = draft;
  const held = { ...(PRESETS.retry as object), ...(typeof retry === "object" && !Array.isArray(retry) ? retry : {}) };
  const text = retryText(held);
  return (
    <Card title="When it fails">
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <NumberField path="retry.maxAttempts" label="Attempts" about="1 to 100, the first included." />
          <ChoiceField
            path="retry.backoff"
            label="Waits between them"
            options={[
              ["exponential", "Growing by a factor"],
              ["linear", "Growing evenly"],
              ["fixed", "Always the same"],
            ]}
          />
          <TextField path="retry.initialDelay" label="First wait" />
        </div>
        {text !== null && (
          <p className="text-muted" aria-live="polite">
            {text}
          </p>
        )}
        <More
          title="Growth, limits and what is tried again"
          paths={["multiplier", "maxDelay", "maxElapsed", "on", "jitter"].map((field) => `retry.${field}`)}
        >
          <div className="grid gap-4 sm:grid-cols-2">
            {backoff === "exponential" && <NumberField path="retry.multiplier" label="Factor" about="1 to 10." />}
            <TextField path="retry.maxDelay" label="Longest wait" />
            <TextField
              path="retry.maxElapsed"
              label="Give up after"
              placeholder="no limit"
              about="Counted from the first attempt."
            />
            <ListField
              path="retry.on"
              label="Try again on"
              about="timeout, network, a status such as 503, or a class such as 5xx."
            />
            <Checkbox
              label="Shorten waits by chance"
              checked={jitter.value === true}
              onChange={({ target }) => jitter.change(target.checked)}
            />
          </div>
        </More>
      </div>
    </Card>
  );
}
