// What the server is started with: a small database that never loses an acknowledged row. The settings are given on the
// command line, so that an upgrade of Punctual brings its own and no file in the cluster has to be edited.
import type { DataFolder } from "./data-folder.ts";

const DEFAULTS: Record<string, string> = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  max_connections: "100",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  // A report must not take every core from those who fire on time, nor need the 64 MB of shared memory of a container.
  max_parallel_workers_per_gather: "0",
  // Compiling pays for long queries; ours are short.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  // ERROR is left out: the client that caused it is told, and a client in a loop would fill the log.
  log_min_messages: "log",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
  logging_collector: "off",
  log_destination: "stderr",
};

export function serverArguments(folder: DataFolder, settings: Record<string, string>): string[] {
  const fixed = {
    listen_addresses: "",
    // The value is a list: quoted, a comma or a space in the path is part of it.
    unix_socket_directories: `"${folder.socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: "5432",
  };
  const all = { ...DEFAULTS, ...settings, ...fixed };
  return ["-D", folder.clusterDir, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

// The port only names the socket file. It and sslmode are spelled out so that PGPORT and PGSSLMODE cannot interfere.
export function databaseUrl(folder: DataFolder, database = "punctual"): string {
  const host = encodeURIComponent(folder.socketDir);
  return `postgres://punctual@/${database}?host=${host}&port=5432&sslmode=disable`;
}

// Nothing of the caller's environment: PGDATA, PGPORT or a foreign locale would change what starts.
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}
