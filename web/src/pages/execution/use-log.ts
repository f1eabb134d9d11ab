import type { LogLine } from "punctual/client";
import { useEffect, useState } from "react";
import { useClient } from "../../api/session.tsx";

interface Log {
  lines: readonly LogLine[];
  /** The execution is final: there will be no more. */
  isEnded: boolean;
  error: unknown;
}

const NOTHING: Log = { lines: [], isEnded: false, error: null };
/** Lines that come within this time are drawn together. */
const GATHER_MS = 100;

/** What the execution said, and says as it runs. */
export function useLog(id: string): Log & { again: () => void } {
  const client = useClient();
  const [log, setLog] = useState(NOTHING);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try reads it from the beginning
  useEffect(() => {
    const stop = new AbortController();
    let gathered: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (end: Partial<Log> = {}) => {
      clearTimeout(timer);
      timer = undefined;
      const more = gathered;
      gathered = [];
      if (!stop.signal.aborted) setLog((before) => ({ ...before, ...end, lines: [...before.lines, ...more] }));
    };
    const follow = async () => {
      for await (const line of client.executions.followLogs(id, { signal: stop.signal })) {
        gathered.push(line);
        timer ??= setTimeout(flush, GATHER_MS);
      }
    };
    setLog(NOTHING);
    follow().then(
      () => flush({ isEnded: true }),
      (error) => flush({ error }),
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [client, id, tries]);
  return { ...log, again: () => setTries(tries + 1) };
}
