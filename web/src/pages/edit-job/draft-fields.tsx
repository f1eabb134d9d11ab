// Controls that write one value of the draft each.

import type { Json } from "punctual/client";
import { type ReactNode, useEffect, useId, useState } from "react";
import { Field, Input, Select, TextArea } from "../../ui/field.tsx";
import { JsonEditor } from "../../ui/json-editor.tsx";
import { useDraft, useField } from "./draft-context.tsx";
import { useWrittenText } from "./written-text.ts";

interface Described {
  path: string;
  label: string;
  about?: ReactNode;
  className?: string | undefined;
}

/** Text. Emptied, it is not written at all, and the server's preset holds. */
export function TextField({
  path,
  label,
  about,
  className,
  placeholder,
  suggestions = [],
  mono = false,
  keepEmpty = false,
}: Described & {
  placeholder?: string | undefined;
  suggestions?: readonly string[];
  mono?: boolean;
  /** An empty text is written as one: for what the server is to find empty rather than missing. */
  keepEmpty?: boolean;
}) {
  const { written, preset, problem, change } = useField(path);
  const list = useId();
  const { shown, onEmptied } = useShown(written, preset);
  // Where the server has null for nothing, nothing is written as it.
  const nothing = preset === null ? null : undefined;
  return (
    <Field label={label} about={about} error={problem} className={className}>
      {(wiring) => (
        <>
          <Input
            {...wiring}
            className={mono ? "font-mono !text-xs" : undefined}
            spellCheck={!mono}
            placeholder={placeholder}
            list={suggestions.length === 0 ? undefined : list}
            value={shown}
            onChange={({ target }) => {
              onEmptied(target.value === "");
              change(target.value === "" && !keepEmpty ? nothing : target.value);
            }}
            onBlur={() => onEmptied(false)}
          />
          {suggestions.length > 0 && (
            <datalist id={list}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** Numbers are written as such; whatever else is typed is left to the server to refuse. */
export function NumberField({ path, label, about, className }: Described) {
  const { written, preset, problem, change } = useField(path);
  const { shown, onEmptied } = useShown(written, preset);
  const set = (text: string) => {
    onEmptied(text === "");
    // "2.0" is on the way to "2.05", and stays as it was typed until the field is left.
    const number = Number(text);
    change(text === "" ? undefined : String(number) === text ? number : text);
  };
  const leave = () => {
    onEmptied(false);
    if (typeof written === "string" && /^-?\d+(\.\d+)?$/.test(written)) change(Number(written));
  };
  return (
    <Field label={label} about={about} error={problem} className={className}>
      {(wiring) => (
        <Input
          {...wiring}
          inputMode="decimal"
          value={shown}
          onChange={({ target }) => set(target.value.trim())}
          onBlur={leave}
        />
      )}
    </Field>
  );
}

/** What stands in a field: what is written, or the preset. Emptied by somebody it stays empty until they leave it. */
function useShown(written: Json | undefined, preset: Json | undefined) {
  const [emptied, onEmptied] = useState(false);
  const held = written ?? (emptied ? "" : preset) ?? "";
  return { shown: typeof held === "object" ? JSON.stringify(held) : String(held), onEmptied };
}

export function ChoiceField<T extends string>({
  path,
  label,
  about,
  className,
  options,
}: Described & { options: readonly (readonly [value: T, label: string])[] }) {
  const { value, problem, change } = useField(path);
  const known = options.some(([each]) => each === value);
  // What the JSON has and the form does not know is shown, not quietly replaced.
  const all = known ? options : [...options, [String(value) as T, `${value} (unknown)`] as const];
  return (
    <Field label={label} about={about} error={problem} className={className}>
      {(wiring) => <Select {...wiring} options={all} value={String(value) as T} onChange={change} />}
    </Field>
  );
}

/** Several words with commas between them. Digits are read as numbers where the list is one of numbers. */
export function ListField({
  path,
  label,
  about,
  className,
  placeholder,
  numbers = false,
}: Described & { placeholder?: string; numbers?: boolean }) {
  const { value, problem, change } = useField(path);
  const item = (word: string): Json => (numbers && /^\d+$/.test(word) ? Number(word) : word);
  const { text, setText } = useWrittenText<Json | undefined>(value, {
    write: (list) => (Array.isArray(list) ? list.map(String).join(", ") : ""),
    read: (typed) => ({
      value: typed
        .split(/[,\s]+/)
        .filter((word) => word !== "")
        .map(item),
    }),
    onChange: change,
  });
  return (
    <Field label={label} about={about} error={problem} className={className}>
      {(wiring) => (
        <Input {...wiring} placeholder={placeholder} value={text} onChange={({ target }) => setText(target.value)} />
      )}
    </Field>
  );
}

/** One text for each line. */
export function LinesField({ path, label, about, className }: Described) {
  const { value, problem, change } = useField(path);
  const { text, setText } = useWrittenText<Json | undefined>(value, {
    write: (list) => (Array.isArray(list) ? list.map(String).join("\n") : ""),
    read: (typed) => ({ value: typed === "" ? [] : typed.split("\n") }),
    onChange: change,
  });
  return (
    <Field label={label} about={about} error={problem} className={className}>
      {(wiring) => (
        <TextArea
          {...wiring}
          className="font-mono !text-xs"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </Field>
  );
}

/** Any JSON value. */
export function JsonField({ path, label, about }: { path: string; label: string; about?: string }) {
  const { setBroken } = useDraft();
  const { value, problem, change } = useField(path);
  const { text, broken, setText } = useWrittenText<Json | undefined>(value, {
    write: (json) => (json === undefined ? "" : JSON.stringify(json, null, 2)),
    read: (typed) => readJson(typed),
    onChange: change,
  });
  useEffect(() => {
    setBroken(path, broken);
    return () => setBroken(path, false);
  }, [path, broken, setBroken]);
  const empty = broken && text.trim() === "" ? "A value is missing: {} is an empty one." : null;
  return <JsonEditor label={label} about={about} value={text} onChange={setText} error={empty ?? problem} />;
}

export function readJson(text: string): { value: Json } | null {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}
