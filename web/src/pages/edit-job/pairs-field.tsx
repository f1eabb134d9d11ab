import { Plus, X } from "lucide-react";
import type { Json } from "punctual/client";
import { useId } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { Input } from "../../ui/field.tsx";
import { useField } from "./draft-context.tsx";
import { type Pair, pairsOf, pairsText, readPairs, recordOf } from "./pairs.ts";
import { useWrittenText } from "./written-text.ts";

/** Names and values, one row each: headers, parameters, variables. */
export function PairsField({
  path,
  label,
  about,
  noun,
  suggestions = [],
}: {
  path: string;
  label: string;
  about?: string;
  /** What one of them is called: "header". */
  noun: string;
  suggestions?: readonly string[];
}) {
  const { value, problem, change } = useField(path);
  const list = useId();
  const problemId = useId();
  // Rows that are not finished are in no record, so what is typed is kept beside it.
  const { text, setText } = useWrittenText<Json | undefined>(value, {
    write: (record) => pairsText(pairsOf(record)),
    read: (rows) => ({ value: recordOf(readPairs(rows)) }),
    onChange: change,
  });
  const pairs = readPairs(text);
  const set = (next: readonly Pair[]) => setText(pairsText(next));
  const replace = (index: number, pair: Pair) => set(pairs.map((each, at) => (at === index ? pair : each)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1" aria-describedby={problem === null ? undefined : problemId}>
      <legend className="mb-1 font-medium">{label}</legend>
      {pairs.map(([name, content], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name changes while it is typed
        <div key={index} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-2">
          <Input
            aria-label={`Name of ${noun} ${index + 1}`}
            placeholder="name"
            className="font-mono !text-xs"
            list={suggestions.length === 0 ? undefined : list}
            value={name}
            onChange={({ target }) => replace(index, [target.value, content])}
          />
          <Input
            aria-label={`Value of ${noun} ${name || index + 1}`}
            placeholder={content === null ? "left out" : "value"}
            className="font-mono !text-xs"
            value={content ?? ""}
            onChange={({ target }) => replace(index, [name, target.value])}
          />
          <IconButton
            label={`Remove ${noun} ${name || index + 1}`}
            icon={<X aria-hidden className="size-4" />}
            onClick={() => set(pairs.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="small" icon={<Plus aria-hidden className="size-3.5" />} onClick={() => set([...pairs, ["", ""]])}>
          Add {noun}
        </Button>
        {about !== undefined && <span className="text-muted text-xs">{about}</span>}
      </div>
      {problem !== null && (
        <p id={problemId} role="alert" className="text-bad text-xs [overflow-wrap:anywhere]">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
