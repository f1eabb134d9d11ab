import { JsonField } from "./draft-fields.tsx";

/** What a run works on. */
export function PayloadField() {
  return (
    <JsonField path="payload" label="Payload" about="What a run works on, unless whoever triggers it brings another." />
  );
}
