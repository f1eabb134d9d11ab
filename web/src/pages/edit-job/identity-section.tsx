import { Card } from "../../ui/card.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { useField } from "./draft-context.tsx";
import { ListField, TextField } from "./draft-fields.tsx";

/** What the job is called and what it is for. */
export function IdentitySection() {
  return (
    <Card title="Job">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          path="name"
          label="Name"
          placeholder="nightly-report"
          about="Letters, digits and . _ - without spaces. A job that runs once may go without."
        />
        <ListField
          path="tags"
          label="Tags"
          placeholder="billing, reports"
          about="With commas between them. Lists are filtered by them."
        />
        <Description />
      </div>
    </Card>
  );
}

function Description() {
  const { value, problem, change } = useField("description");
  return (
    <Field
      label="Description"
      about="For whoever finds it failing at night: what it does, and whom to ask."
      error={problem}
      className="sm:col-span-2"
    >
      {(wiring) => (
        <TextArea
          {...wiring}
          rows={2}
          className="field-sizing-content !min-h-14"
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  );
}
