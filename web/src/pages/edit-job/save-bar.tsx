import { Link } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/field.tsx";

interface Standing {
  problems: number;
  broken: boolean;
  unsaved: boolean;
}

/** Always in sight: how it stands, and the way out in both directions. */
export function SaveBar({
  job,
  busy,
  standing,
  onSave,
}: {
  job: Job | null;
  busy: boolean;
  standing: Standing;
  onSave: (paused: boolean) => void;
}) {
  const [paused, setPaused] = useState(false);
  return (
    // What is told in passing stands above it: it would cover the buttons.
    <div
      data-bottom-bar
      className="border-line bg-canvas sticky bottom-0 z-20 -mx-4 -mb-5 flex flex-wrap items-center justify-end gap-x-4 gap-y-2 border-t px-4 py-3 sm:-mx-6 sm:px-6"
    >
      <p role="status" className="text-muted mr-auto">
        {standingText(standing)}
      </p>
      {job === null && (
        <Checkbox label="Paused at first" checked={paused} onChange={({ target }) => setPaused(target.checked)} />
      )}
      <div className="flex gap-2">
        {job === null ? (
          <Link to="/jobs" className={buttonClass()}>
            Cancel
          </Link>
        ) : (
          <Link to="/jobs/$job" params={{ job: job.id }} className={buttonClass()}>
            Cancel
          </Link>
        )}
        <Button look="primary" busy={busy} onClick={() => onSave(paused)}>
          {job === null ? "Create job" : "Save changes"}
        </Button>
      </div>
    </div>
  );
}

function standingText({ problems, broken, unsaved }: Standing): string {
  if (broken) return "There is JSON with a mistake in it: it cannot be saved yet.";
  if (problems > 0) return problems === 1 ? "One thing is to be corrected." : `${problems} things are to be corrected.`;
  return unsaved ? "Not saved yet." : "";
}
