import { type FormEvent, useEffect, useRef, useState } from "react";
import { fieldProblems, otherProblem } from "../../api/problems.ts";

/** Something wrong with what was filled in that the page sees by itself, or knows the field of. */
export class FieldProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export type FormValues = Record<string, string>;

/** A form that is sent once at a time. What was wrong stands at its field, which then has the focus, or above the form. */
export function useForm(fields: readonly string[], send: (values: FormValues) => Promise<void>) {
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as FormValues;
    setBusy(true);
    setError(null);
    send(values)
      .catch(setError)
      .finally(() => setBusy(false));
  };
  const own = error instanceof FieldProblem ? { [error.field]: error.message } : null;
  return {
    form: { ref: form, onSubmit },
    busy,
    error,
    problems: own ?? fieldProblems(error),
    problem: own === null ? otherProblem(error, fields) : null,
  };
}
