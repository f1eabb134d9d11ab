import { Field, Input } from "../../ui/field.tsx";
import { FieldProblem, type FormValues } from "./use-form.ts";

/** The two fields of a new password. */
export function NewPassword({ problems }: { problems: Record<string, string> }) {
  return (
    <>
      <Field label="New password" about="At least 12 characters." error={problems.password}>
        {(wiring) => (
          <Input
            {...wiring}
            name="password"
            type="password"
            required
            minLength={12}
            maxLength={256}
            autoComplete="new-password"
          />
        )}
      </Field>
      <Field label="The same again" error={problems.again}>
        {(wiring) => <Input {...wiring} name="again" type="password" required autoComplete="new-password" />}
      </Field>
    </>
  );
}

/** The password that was chosen in them. */
export function chosenPassword({ password = "", again = "" }: FormValues): string {
  if (password !== again) throw new FieldProblem("again", "It is not the same as above.");
  return password;
}
