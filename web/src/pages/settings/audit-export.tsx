import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { AuditFilter } from "punctual/client";
import { useEffect, useRef, useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";

/** How often the number of lines is told while they come in. */
const TOLD_EVERY = 500;

/** All that fits the filters, as a file: a line of JSON each. Half of it is never handed out as the whole. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const client = useClient();
  const { project } = useSession();
  const [count, setCount] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const mine = new AbortController();
    stop.current = mine;
    return () => mine.abort();
  }, []);
  const write = useMutation({
    mutationFn: async () => {
      const lines: string[] = [];
      setCount(0);
      for await (const entry of client.audit.export(filter, { signal: stop.current.signal })) {
        lines.push(`${JSON.stringify(entry)}\n`);
        if (lines.length % TOLD_EVERY === 0) setCount(lines.length);
      }
      return lines;
    },
    onSuccess: (lines) => {
      save(
        new Blob(lines, { type: "application/x-ndjson" }),
        `audit-${filter.instance ? "instance" : project.name}.ndjson`,
      );
      tell(lines.length === 1 ? "One line is in the file." : `${lines.length} lines are in the file.`);
    },
    onError: (error) => {
      if (!stop.current.signal.aborted) tellFailure("The audit could not be written to a file", error);
    },
  });
  return (
    <Button
      size="small"
      icon={<Download aria-hidden className="size-3.5" />}
      busy={write.isPending}
      onClick={() => write.mutate()}
    >
      {write.isPending ? `Reading${count === 0 ? "" : `, ${count} lines`}…` : "Export as NDJSON"}
    </Button>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
