// Processes of one cluster's server, told from all others: a process number alone proves nothing, it may have been reused.
// Every process of a server is named `postgres` (or the like, where it is wrapped) and works in the cluster's folder.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

interface ProcessEntry {
  name: string;
  state: string;
  parent: number;
  session: number;
}

// A zombie is no process any more.
export function isServerProcess(pid: number, clusterDir: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (process.platform !== "linux") return isListedByPs(pid, clusterDir);
  const entry = readProcess(pid);
  if (!entry?.name.includes("postgres") || "ZX".includes(entry.state)) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === clusterDir;
  } catch {
    // Not ours to look at: the server runs as this user, or this is root, so it is somebody else's.
    return false;
  }
}

export function parentOf(pid: number): number | null {
  if (process.platform === "linux") return readProcess(pid)?.parent ?? null;
  return Number.parseInt(ps("ppid=", pid), 10) || null;
}

// Backends that outlived their postmaster keep its shared memory attached, and no new server starts beside them. Most
// notice within milliseconds; one in a long computation does not, and is told. A backend leads a session of its own and,
// left behind, has no parent in the cluster; a postmaster just born is in its keeper's session and must not be hit.
export function signalLeftBehind(clusterDir: string, signal: "SIGQUIT" | "SIGKILL"): number {
  if (process.platform !== "linux") return 0;
  let told = 0;
  for (const pid of readdirSync("/proc").map(Number)) {
    const entry = isServerProcess(pid, clusterDir) ? readProcess(pid) : null;
    if (!entry || entry.session !== pid || isServerProcess(entry.parent, clusterDir)) continue;
    if (trySignal(pid, signal)) told++;
  }
  return told;
}

export function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw cause;
  }
}

// "12 (a name, which may hold anything) S parent group session …"
function readProcess(pid: number): ProcessEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const [state, parent, , session] = stat.slice(end + 2).split(" ");
    return {
      name: stat.slice(stat.indexOf("(") + 1, end),
      state: state!,
      parent: Number(parent),
      session: Number(session),
    };
  } catch {
    return null;
  }
}

function isListedByPs(pid: number, clusterDir: string): boolean {
  const seen = ps("state=,command=", pid);
  return !seen.startsWith("Z") && seen.includes("postgres") && seen.includes(clusterDir);
}

function ps(columns: string, pid: number): string {
  return spawnSync("ps", ["-o", columns, "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
}
