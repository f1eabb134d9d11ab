import { useQuery } from "@tanstack/react-query";
import { Ban, RotateCcw } from "lucide-react";
import type { Execution } from "punctual/client";
import { useState } from "react";
import { reads } from "../../api/reads.ts";
import { useClient, useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { canCancel, canRetry } from "../executions/filter.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { RetryDialog } from "./retry-dialog.tsx";

/** What can be done with it as it is. */
export function ExecutionActions({ execution }: { execution: Execution }) {
  const client = useClient();
  const mayOperate = useMay("operate");
  const [open, setOpen] = useState<"retry" | "cancel" | null>(null);
  const [retries, cancels] = [mayOperate && canRetry(execution), mayOperate && canCancel(execution)];
  const { data: job } = useQuery({ ...reads.job(client, execution.jobId), enabled: open === "retry" });
  useShortcuts([
    ...(retries ? [{ key: "r", about: "Run it again", act: () => setOpen("retry") }] : []),
    ...(cancels ? [{ key: "c", about: "Cancel it", act: () => setOpen("cancel") }] : []),
  ]);
  const close = () => setOpen(null);
  return (
    <>
      {cancels && (
        <Button icon={<Ban aria-hidden className="size-4" />} onClick={() => setOpen("cancel")}>
          Cancel
        </Button>
      )}
      {retries && (
        <Button icon={<RotateCcw aria-hidden className="size-4" />} onClick={() => setOpen("retry")}>
          {execution.state === "retrying" ? "Try again now" : "Run again"}
        </Button>
      )}
      {open === "retry" && <RetryDialog execution={execution} job={job} onClose={close} />}
      {open === "cancel" && <CancelDialog execution={execution} onClose={close} />}
    </>
  );
}
