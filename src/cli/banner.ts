import { columns } from "./columns.ts";

export interface BannerFacts {
  version: string;
  url: string;
  /** Signs in, once; null on a node that serves no pages. */
  link: string | null;
  apiKey: string;
  apiKeyFile: string;
  database: string;
  logFile: string;
  notes: readonly string[];
}

/** What `dev` prints once it runs: where it is, the key, and one line to paste that makes a first job. */
export function banner({ version, url, link, apiKey, apiKeyFile, database, logFile, notes }: BannerFacts): string {
  const facts = columns(
    [
      ["Address", url],
      ...(link === null ? [] : [["Sign in", link] as [string, string], ["", "(works once)"] as [string, string]]),
      ["API", `${url}/docs`],
      ["API key", apiKey],
      ["", `(kept in ${apiKeyFile})`],
      ["Database", database],
      ["Log", logFile],
    ],
    { indent: "  ", gap: 3 },
  );
  const noted = notes.map((note) => `  Note: ${note}\n`).join("");
  return `
Punctual ${version} is running.

${facts}${noted}
A first job, every ten seconds; paste this into another terminal:

${firstJob(url, apiKey)}

Or a few sample jobs, to watch: punctual demo

Ctrl-C stops it.
`;
}

/** One line, so that no terminal breaks it apart. PUT by name: pasted twice it is still one job. */
function firstJob(url: string, apiKey: string): string {
  const job = {
    schedule: { every: "10s" },
    target: { type: "http", url: `${url}/dev/echo` },
    payload: { hello: "world" },
  };
  const headers = [`authorization: Bearer ${apiKey}`, "content-type: application/json"].map(
    (header) => `-H '${header}'`,
  );
  return `curl -sS -X PUT '${url}/api/v1/jobs/hello' ${headers.join(" ")} -d '${JSON.stringify(job)}'`;
}
