import { useNavigate } from "@tanstack/react-router";
import { Copy, Ellipsis, FileCode, Pause, Pencil, Play, Trash2 } from "lucide-react";
import type { Job } from "punctual/client";
import { type ReactElement, useState } from "react";
import { useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { canPauseOrResume, canRun, type JobActions } from "./use-job-actions.ts";

interface JobMenuProps {
  job: Job;
  actions: JobActions;
  onDelete: (job: Job) => void;
}

/** All that can be done with a job from its row. A list has thousands of them: a menu is made when its button is pressed. */
export function JobMenu(props: JobMenuProps) {
  const [wanted, setWanted] = useState(false);
  const trigger = (
    <Button
      look="quiet"
      size="small"
      className="w-7 !px-0"
      aria-label={`Actions for ${props.job.name}`}
      aria-haspopup="menu"
      icon={<Ellipsis aria-hidden className="size-4" />}
      onClick={() => setWanted(true)}
    />
  );
  return wanted ? <MadeMenu {...props} trigger={trigger} /> : trigger;
}

function MadeMenu({ job, actions, onDelete, trigger }: JobMenuProps & { trigger: ReactElement }) {
  const mayOperate = useMay("operate");
  const mayWrite = useMay("write");
  const navigate = useNavigate();
  const { state, source } = job;
  const change = mayWrite && state !== "deleted";
  return (
    <Menu defaultOpen trigger={trigger}>
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
