// The server's own log: one file beside the cluster, at most twice LOG_BYTES_MAX with its predecessor. The server appends
// to it directly, so there is nothing to lose when the process that started it dies. Bounding copies and truncates,
// because the server keeps its file open; a line written between the two is lost, which a log may.
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { ServerUser } from "./server-user.ts";

const LOG_BYTES_MAX = 4 * 1024 * 1024;
const TAIL_BYTES_MAX = 4096;
// Root writes here in a folder that may be another user's: a link put in its place must not lead elsewhere.
const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

// Returns a descriptor to be closed by the caller, and where the lines to come will begin.
export function openLog(logFile: string, user: ServerUser | null): { fd: number; offset: number } {
  const fd = openSync(logFile, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  if (user) fchownSync(fd, user.uid, user.gid);
  if (fstatSync(fd).size > LOG_BYTES_MAX) {
    rmSync(`${logFile}.1`, { force: true });
    writeFileSync(`${logFile}.1`, readFrom(fd, Math.max(0, fstatSync(fd).size - LOG_BYTES_MAX)), {
      mode: 0o600,
      flag: "wx",
    });
    ftruncateSync(fd);
  }
  return { fd, offset: fstatSync(fd).size };
}

export function boundLog(logFile: string, user: ServerUser | null): void {
  closeSync(openLog(logFile, user).fd);
}

// The last lines written after `offset`: what this start said, not the ones before it.
export function readLogSince(logFile: string, offset: number): string {
  const fd = openSync(logFile, "r");
  try {
    const { size } = fstatSync(fd);
    return readFrom(fd, Math.max(Math.min(offset, size), size - TAIL_BYTES_MAX))
      .toString("utf8")
      .trim();
  } finally {
    closeSync(fd);
  }
}

function readFrom(fd: number, offset: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - offset));
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, offset));
}
