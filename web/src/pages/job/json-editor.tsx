import { Field, TextArea } from "../../ui/field.tsx";
import { readJson } from "./json-text.ts";

/** JSON to be written, with what is wrong with it. */
export function JsonEditor({
  value,
  onChange,
  label,
  error,
  about,
}: {
  value: string;
  onChange: (text: string) => void;
  label: string;
  /** What the server says of it. */
  error: string | null;
  about?: string | undefined;
}) {
  const read = readJson(value);
  return (
    <Field label={label} error={read.ok ? error : `It ${read.error}`} {...(about === undefined ? {} : { about })}>
      {(wiring) => (
        <TextArea
          {...wiring}
          value={value}
          spellCheck={false}
          rows={Math.min(14, Math.max(4, value.split("\n").length))}
          className="font-mono text-xs leading-5"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
