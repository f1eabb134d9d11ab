import { Cpu, Globe, SquareTerminal } from "lucide-react";
import type { Target } from "punctual/client";

const ICON = { http: Globe, worker: Cpu, shell: SquareTerminal } as const;
const KIND = { http: "HTTP call", worker: "Handler", shell: "Command" } as const;

/** Where a job goes, on one line. */
export function JobTarget({ target }: { target: Target }) {
  const Icon = ICON[target.type];
  const { short, full } = targetText(target);
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={full}>
      <Icon role="img" aria-label={KIND[target.type]} className="text-muted size-3.5 shrink-0" />
      <span className="truncate">{short}</span>
    </span>
  );
}

function targetText(target: Target): { short: string; full: string } {
  if (target.type === "worker") return { short: target.handler, full: target.handler };
  if (target.type === "shell") {
    const program = target.command.split("/").at(-1) ?? target.command;
    return { short: program, full: [target.command, ...target.args].join(" ") };
  }
  // The address may have templates in it, and then it is none yet.
  const host = URL.canParse(target.url) ? new URL(target.url).host : target.url;
  return { short: `${target.method} ${host}`, full: `${target.method} ${target.url}` };
}
