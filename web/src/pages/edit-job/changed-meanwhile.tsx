import type { Job, Json } from "punctual/client";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { draftOf, type JobDraft } from "./job-draft.ts";
import { changesSince, type FieldChange, merged, presetSide, type Side } from "./three-way.ts";

/** Somebody else has saved the job since it was opened: what they changed, and whose it is to be. */
export function ChangedMeanwhile({
  base,
  theirs,
  mine,
  onClose,
  onChoose,
}: {
  /** The job as both began with it. */
  base: Job;
  theirs: Job;
  mine: JobDraft;
  onClose: () => void;
  onChoose: (draft: JobDraft) => void;
}) {
  const changes = changesSince(draftOf(base), draftOf(theirs), mine);
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = (change: FieldChange) => chosen[change.field] ?? presetSide(change);
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="The job was changed meanwhile"
      about={
        <>
          You began with version {base.version}; there is version {theirs.version} now, saved{" "}
          <Time at={theirs.updatedAt} />.
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {changes.length === 0 && <p>What was saved is just what you have here. There is nothing left to save.</p>}
        {changes.map((change) => (
          <Choice
            key={change.field}
            change={change}
            side={sideOf(change)}
            onChoose={(side) => setChosen({ ...chosen, [change.field]: side })}
          />
        ))}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => onChoose(draftOf(theirs))}>Drop all of mine</Button>
          <Button look="primary" onClick={() => onChoose(merged(draftOf(theirs), changes, sideOf))}>
            Go on with this choice
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const CHANGED_BY = { them: "changed by them", me: "changed by you", both: "changed by both" } as const;

function Choice({ change, side, onChoose }: { change: FieldChange; side: Side; onChoose: (side: Side) => void }) {
  const { field, by, theirs, mine } = change;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1">
        <code className="font-mono text-xs font-semibold">{field}</code>{" "}
        <span className="text-muted">{CHANGED_BY[by]}</span>
      </legend>
      <div className="grid gap-2 sm:grid-cols-2">
        <Version label="As it is now" value={theirs} checked={side === "theirs"} onChoose={() => onChoose("theirs")} />
        <Version label="As you have it" value={mine} checked={side === "mine"} onChoose={() => onChoose("mine")} />
      </div>
    </fieldset>
  );
}

function Version({
  label,
  value,
  checked,
  onChoose,
}: {
  label: string;
  value: Json | undefined;
  checked: boolean;
  onChoose: () => void;
}) {
  return (
    <label className="border-line has-[:checked]:border-accent flex min-w-0 cursor-pointer flex-col gap-1 rounded-md border p-2">
      <span className="flex items-center gap-2 font-medium">
        <input type="radio" checked={checked} onChange={onChoose} className="accent-accent size-4" />
        {label}
      </span>
      <pre className="text-muted max-h-40 overflow-y-auto font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
        {value === undefined ? "not written" : JSON.stringify(value, null, 2)}
      </pre>
    </label>
  );
}
