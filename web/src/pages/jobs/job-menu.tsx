import { useNavigate } from "@tanstack/react-router";
import { Copy, Ellipsis, FileCode, Pause, Pencil, Play, Trash2 } from "lucide-react";
import type { Job } from "punctual/client";
import { useMay } from "../../api/session.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { canPauseOrResume, canRun, type JobActions } from "./use-job-actions.ts";

/** All that can be done with a job from its row. */
export function JobMenu({ job, actions, onDelete }: { job: Job; actions: JobActions; onDelete: (job: Job) => void }) {
  const mayOperate = useMay("operate");
  const mayWrite = useMay("write");
  const navigate = useNavigate();
  const { name, state, source } = job;
  const change = mayWrite && state !== "deleted";
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`} size="small" icon={<Ellipsis aria-hidden className="size-4" />} />
      }
    >
      {mayOperate && canRun(job) && (
        <MenuItem icon={<Play aria-hidden className="size-4" />} onSelect={() => actions.run(job)}>
          Run now <Key of="r" />
        </MenuItem>
      )}
      {mayOperate && canPauseOrResume(job) && (
        <MenuItem
          icon={state === "paused" ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
          onSelect={() => actions.pauseOrResume(job)}
        >
          {state === "paused" ? "Resume" : "Pause"} <Key of="p" />
        </MenuItem>
      )}
      {change && (
        <MenuItem
          icon={<Pencil aria-hidden className="size-4" />}
          onSelect={() => void navigate({ to: "/jobs/$job/edit", params: { job: job.id } })}
        >
          Edit <Key of="e" />
        </MenuItem>
      )}
      {mayWrite && (
        <MenuItem
          icon={<Copy aria-hidden className="size-4" />}
          onSelect={() => void navigate({ to: "/jobs/new", search: { like: job.id } })}
        >
          New job like this
        </MenuItem>
      )}
      {source !== null && (
        <MenuItem
          icon={<FileCode aria-hidden className="size-4" />}
          onSelect={() => void navigate({ to: "/jobs", search: { source } })}
        >
          All jobs from {source}
        </MenuItem>
      )}
      {change && (
        <>
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 aria-hidden className="size-4" />} onSelect={() => onDelete(job)}>
            Delete…
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

function Key({ of }: { of: string }) {
  return <kbd className="text-muted ml-auto pl-4 font-mono text-xs">{of}</kbd>;
}
