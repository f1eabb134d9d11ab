import { Link, useNavigate } from "@tanstack/react-router";
import { CopyPlus, Ellipsis, Pause, Pencil, Play, Send, Trash2 } from "lucide-react";
import type { Job } from "punctual/client";
import { useState } from "react";
import { useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button, buttonClass, IconButton } from "../../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { DeleteJob } from "./delete-job.tsx";
import { PauseJob } from "./pause-job.tsx";
import { useResume } from "./resume.ts";
import { RunNow } from "./run-now.tsx";
import { TestCall } from "./test-call.tsx";

type Open = "run" | "pause" | "test" | "delete" | null;

const ICON = "size-4";

/** What can be done with the job by whoever looks at it, in the state that it is in. */
export function JobActions({ job }: { job: Job }) {
  const [open, setOpen] = useState<Open>(null);
  const navigate = useNavigate();
  const resume = useResume(job);
  const close = () => setOpen(null);
  const isDeleted = job.state === "deleted";
  const mayRun = useMay("operate") && !isDeleted;
  const mayWrite = useMay("write");
  const mayChange = mayWrite && !isDeleted;
  const pausing = !mayRun ? null : job.state === "active" ? "pause" : job.state === "paused" ? "resume" : null;
  const copy = () => void navigate({ to: "/jobs/new", search: { like: job.id } });
  const edit = () => void navigate({ to: "/jobs/$job/edit", params: { job: job.id } });
  useShortcuts([
    ...(mayRun ? [{ key: "r", about: "Run the job", act: () => setOpen("run") }] : []),
    ...(pausing === "pause" ? [{ key: "p", about: "Pause the job", act: () => setOpen("pause") }] : []),
    ...(pausing === "resume" ? [{ key: "p", about: "Resume the job", act: () => resume.mutate() }] : []),
    ...(mayChange ? [{ key: "e", about: "Edit the job", act: edit }] : []),
  ]);
  return (
    <>
      {mayRun && (
        <Button look="primary" icon={<Play aria-hidden className={ICON} />} onClick={() => setOpen("run")}>
          Run now
        </Button>
      )}
      {pausing === "pause" && (
        <Button icon={<Pause aria-hidden className={ICON} />} onClick={() => setOpen("pause")}>
          Pause
        </Button>
      )}
      {pausing === "resume" && (
        <Button icon={<Play aria-hidden className={ICON} />} busy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {mayChange && (
        <Link to="/jobs/$job/edit" params={{ job: job.id }} className={buttonClass()}>
          <Pencil aria-hidden className={ICON} />
          Edit
        </Link>
      )}
      {mayWrite && (
        <Menu trigger={<IconButton label="More to do" look="plain" icon={<Ellipsis aria-hidden className={ICON} />} />}>
          <MenuItem icon={<CopyPlus aria-hidden className={ICON} />} onSelect={copy}>
            Make a copy
          </MenuItem>
          {mayChange && job.target.type === "http" && (
            <MenuItem icon={<Send aria-hidden className={ICON} />} onSelect={() => setOpen("test")}>
              Send a test call
            </MenuItem>
          )}
          {mayChange && (
            <>
              <MenuSeparator />
              <MenuItem danger icon={<Trash2 aria-hidden className={ICON} />} onSelect={() => setOpen("delete")}>
                Delete
              </MenuItem>
            </>
          )}
        </Menu>
      )}
      <RunNow job={job} open={open === "run"} onClose={close} />
      <PauseJob job={job} open={open === "pause"} onClose={close} />
      {job.target.type === "http" && (
        <TestCall payload={job.payload} target={job.target} open={open === "test"} onClose={close} />
      )}
      <DeleteJob job={job} open={open === "delete"} onClose={close} />
    </>
  );
}
