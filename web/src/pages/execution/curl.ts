// The call of an attempt as a command line. It is made from the job's version and the payload, because what was sent is not
// kept. Secrets are never known here: each becomes a variable of the shell. Left out is what only the server can say: the
// signature and the trace.

import type { Attempt, Execution, HttpTarget, Json } from "punctual/client";

interface Values {
  execution: Pick<Execution, "id" | "jobId" | "jobName" | "scheduledAt" | "retryOf" | "payload">;
  attempt: Pick<Attempt, "number">;
}

/** A part of a word of the command line: text as it is, or a variable that stands for a secret. */
type Part = string | { secret: string };

export function curlOf(target: HttpTarget, values: Values): string {
  const body = bodyParts(target, values);
  const words = [
    `-X ${target.method} ${quoted(urlParts(target, values))}`,
    ...headersOf(target, values).map(([name, parts]) => `-H ${quoted([`${name}: `, ...parts])}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  return `curl -sS ${words.join(" \\\n  ")}`;
}

function headersOf(target: HttpTarget, values: Values): [string, Part[]][] {
  const { execution, attempt } = values;
  const own = Object.entries(target.headers).flatMap(([name, value]): [string, Part[]][] =>
    value === null ? [] : [[name.toLowerCase(), filled(value, values, (text) => text)]],
  );
  const named = new Set(Object.keys(target.headers).map((name) => name.toLowerCase()));
  const type = contentType(target);
  const preset: [string, Part[]][] = type === null || named.has("content-type") ? [] : [["content-type", [type]]];
  // Of a retry the key may be that of the execution it repeats.
  if (!named.has("idempotency-key") && execution.retryOf === null) preset.push(["idempotency-key", [execution.id]]);
  return [
    ...preset,
    ...own,
    ["punctual-execution-id", [execution.id]],
    ["punctual-job", [execution.jobName]],
    ["punctual-attempt", [String(attempt.number)]],
    ["punctual-scheduled-at", [execution.scheduledAt]],
  ];
}

function contentType({ method, body, bodyText }: HttpTarget): string | null {
  if (bodyText !== undefined) return "text/plain; charset=utf-8";
  return body !== undefined || sendsPayload(method) ? "application/json" : null;
}

function sendsPayload(method: HttpTarget["method"]): boolean {
  return method !== "GET" && method !== "DELETE";
}

function urlParts({ url, query }: HttpTarget, values: Values): Part[] {
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
  const parts = filled(url, values, encoded);
  let joint = url.includes("?") ? "&" : "?";
  for (const [name, value] of Object.entries(query)) {
    parts.push(`${joint}${encoded(name)}=`, ...filled(value, values, encoded, encoded));
    joint = "&";
  }
  return parts;
}

function bodyParts({ method, body, bodyText }: HttpTarget, values: Values): Part[] | null {
  if (bodyText !== undefined) return filled(bodyText, values, (text) => text);
  if (body !== undefined) return jsonParts(body, values);
  return sendsPayload(method) ? [JSON.stringify(values.execution.payload ?? null)] : null;
}

/** A string that is nothing but one placeholder becomes the value itself, as the server does it. */
function jsonParts(value: Json, values: Values): Part[] {
  if (typeof value === "string") {
    const only = /^\{\{\s*([^{}]*?)\s*\}\}$/.exec(value)?.[1];
    if (only !== undefined && !only.startsWith("secrets.")) return [JSON.stringify(fillIn(only, values) ?? null)];
    const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
    return ['"', ...filled(value, values, escaped, escaped), '"'];
  }
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const members = Object.entries(value).flatMap(([key, member], index): Part[] => [
    index === 0 ? "" : ",",
    Array.isArray(value) ? "" : `${JSON.stringify(key)}:`,
    ...jsonParts(member, values),
  ]);
  return [open!, ...members, close!];
}

/** `encode` is for what is filled in, `between` for the text around it. */
function filled(
  template: string,
  values: Values,
  encode: (text: string) => string,
  between: (text: string) => string = (text) => text,
): Part[] {
  // With a group in the separator every second piece is a path.
  return template.split(/\{\{\s*([^{}]*?)\s*\}\}/).map((piece, index): Part => {
    if (index % 2 === 0) return between(piece);
    if (piece.startsWith("secrets.")) return { secret: piece.slice("secrets.".length) };
    const value = fillIn(piece, values) ?? null;
    return encode(typeof value === "string" ? value : JSON.stringify(value));
  });
}

function fillIn(path: string, { execution, attempt }: Values): Json | undefined {
  const known: Record<string, Json> = {
    "job.name": execution.jobName,
    "job.id": execution.jobId,
    "execution.id": execution.id,
    "execution.scheduledAt": execution.scheduledAt,
    attempt: attempt.number,
  };
  if (Object.hasOwn(known, path)) return known[path];
  const [, ...keys] = path.split(".");
  return keys.reduce<Json | undefined>((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Record<string, Json>)[key];
  }, execution.payload);
}

/** One word of a POSIX shell: text within single quotes, variables within double ones. */
function quoted(parts: readonly Part[]): string {
  let word = "";
  let text = "";
  const close = () => {
    if (text !== "") word += /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
    text = "";
  };
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else {
      close();
      word += `"$${part.secret}"`;
    }
  }
  close();
  return word === "" ? "''" : word;
}
