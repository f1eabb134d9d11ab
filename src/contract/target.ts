import { z } from "zod";
import { duration } from "./duration-schema.ts";
import { jsonValue, text } from "./json.ts";
import { eachString, templateProblem, usesSecret } from "./template.ts";
import { HANDLER_NAME } from "./worker-rules.ts";

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const SENSITIVE_HEADER = /^(authorization|proxy-authorization|cookie|.*-api-key|.*-token)$/;
const RESERVED_HEADER =
  /^(webhook-.*|punctual-.*|host|content-length|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect|traceparent|tracestate)$/;
/** Secrets that one target may use: what it answers is searched for each of them. */
export const TARGET_SECRETS_MAX = 32;
const HEADERS_MAX = 64;
const QUERY_MAX = 64;
const VARIABLES_MAX = 128;
const STATUS_CLASS = /^([1-5]xx|[1-5][0-9][0-9])$/;

/** `"2xx"` or `"204"`. */
export const statusPattern = z.string().regex(STATUS_CLASS, 'is not a status: use a code ("204") or a class ("2xx")');

const headers = z.record(z.string(), z.union([text(8192), z.null()])).superRefine((value, context) => {
  const entries = Object.entries(value);
  if (entries.length > HEADERS_MAX) context.addIssue(tooMany(`has ${entries.length} headers`, HEADERS_MAX));
  for (const [name, content] of entries) {
    const problem = headerProblem(name, content);
    if (problem)
      context.addIssue({ code: "custom", path: [name], message: problem.message, params: { code: problem.code } });
  }
});

function headerProblem(name: string, value: string | null): { code: string; message: string } | null {
  const lower = name.toLowerCase();
  if (!HEADER_NAME.test(name)) return { code: "invalid_header", message: `"${name}" is not a valid header name` };
  if (RESERVED_HEADER.test(lower))
    return { code: "reserved_header", message: `"${name}" is set by Punctual or by the connection; leave it out` };
  if (value === null)
    return lower === "idempotency-key"
      ? null
      : { code: "invalid_header", message: "is null; only idempotency-key may be left out that way" };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must not get into a header
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    return { code: "invalid_header", message: "contains a line break or control character" };
  if (SENSITIVE_HEADER.test(lower) && !usesSecret(value))
    return {
      code: "use_secret",
      message: `"${name}" would be stored in plain text; save the value with PUT /api/v1/secrets/NAME {"value":"…"} and write {{secrets.NAME}} here`,
    };
  return null;
}

function tooMany(what: string, max: number) {
  return { code: "custom", message: `${what}; at most ${max} may be there`, params: { code: "too_many" } } as const;
}

const query = z.record(text(256), text(4096)).superRefine((value, context) => {
  const { length } = Object.keys(value);
  if (length > QUERY_MAX) context.addIssue(tooMany(`has ${length} parameters`, QUERY_MAX));
});

const url = text(2048).superRefine((value, context) => {
  const problem = urlProblem(value);
  if (problem) context.addIssue({ code: "custom", message: problem, params: { code: "invalid_url" } });
});

function urlProblem(value: string): string | null {
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+/.exec(value)?.[0];
  if (authority === undefined) return "is not an absolute URL; write https://host/path";
  // The parser drops line breaks and tabs, and takes backslashes for slashes.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must not be in it
  if (/[\u0000-\u001f\u007f]/.test(value)) return "contains a line break, tab or other control character";
  const [parsed, other] = ["x", "y"].map((filled) => parsedUrl(value.replace(/\{\{[^{}]*\}\}/g, filled)));
  // What decides where a call goes, and so its lane, egress and limits, must not depend on a value. Compared as parsed: the
  // parser takes "https:///{{secrets.A}}/" for a host too.
  if (authority.includes("{{") || (parsed && other && whereTo(parsed) !== whereTo(other)))
    return "has a {{placeholder}} in its user name, host or port; only path and query may have one, so that it is known where calls go";
  if (authority.includes("\\")) return "has a backslash in its host; write https://host/path";
  if (!parsed) return "is not a valid URL";
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    return `has the scheme "${parsed.protocol}"; use http: or https:`;
  if (parsed.username !== "" || parsed.password !== "")
    return "contains a user name or password; use an authorization header with a secret";
  return null;
}

/** The fields of each kind of target in which a string may have placeholders. */
export const TEMPLATED = {
  http: ["url", "headers", "query", "body", "bodyText"],
  worker: [],
  shell: ["args", "env"],
} as const;

function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function whereTo({ protocol, username, password, host }: URL): string {
  return JSON.stringify([protocol, username, password, host]);
}

export const httpTargetSchema = z
  .strictObject({
    type: z.literal("http"),
    url,
    method: z.enum(HTTP_METHODS).default("POST"),
    headers: headers.default({}),
    query: query.default({}),
    body: jsonValue.optional(),
    bodyText: text(256 * 1024).optional(),
    timeout: duration.default("30s"),
    connectTimeout: duration.default("10s"),
    successOn: z.array(statusPattern).min(1).max(32).default(["2xx"]),
    completion: z.enum(["response", "callback"]).default("response"),
    signingKey: text(128)
      .optional()
      .describe("name of a signing key of the project; default: all its keys of use project"),
  })
  .superRefine((target, context) => {
    if (target.body !== undefined && target.bodyText !== undefined)
      context.addIssue({ code: "custom", path: ["bodyText"], message: "stands beside body; give one of the two" });
    if (target.method === "GET" && (target.body !== undefined || target.bodyText !== undefined))
      context.addIssue({ code: "custom", path: ["body"], message: "is not sent with GET; use another method" });
    for (const field of TEMPLATED.http)
      eachString(target[field], [field], (template, path) => {
        const problem = templateProblem(template);
        if (problem) context.addIssue({ code: "custom", path, message: problem, params: { code: "invalid_template" } });
      });
  });

/** What a worker calls the function that does the work. Shared by all workers of a project. */
export const handlerNameSchema = z.string().regex(HANDLER_NAME.pattern, HANDLER_NAME.rule);

/** A named function in the user's own process, which asks for its work. */
export const workerTargetSchema = z.strictObject({ type: z.literal("worker"), handler: handlerNameSchema });

const environment = z.record(z.string(), text(8192)).superRefine((value, context) => {
  const names = Object.keys(value);
  if (names.length > VARIABLES_MAX) context.addIssue(tooMany(`has ${names.length} variables`, VARIABLES_MAX));
  for (const name of names) {
    const problem = variableProblem(name);
    if (problem)
      context.addIssue({ code: "custom", path: [name], message: problem.message, params: { code: problem.code } });
  }
});

function variableProblem(name: string): { code: string; message: string } | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
    return { code: "invalid_variable", message: `"${name}" is not the name of an environment variable` };
  if (/^(PUNCTUAL_.*|TRACEPARENT)$/.test(name))
    return { code: "reserved_variable", message: `"${name}" is set by Punctual; leave it out` };
  return null;
}

/** A command on the machine of the node that runs it; nodes refuse it unless their operator turned it on. */
export const shellTargetSchema = z
  .strictObject({
    type: z.literal("shell"),
    command: text(1024).min(1).describe("the program: a path, or a name found on PATH; never a line for a shell"),
    args: z.array(text(8192)).max(256).default([]),
    env: environment.default({}),
    cwd: text(1024).regex(/^\//, "must be an absolute path").optional(),
    user: text(64).min(1).optional().describe("one that the operator allows; default: the first of those"),
    successOn: z.array(z.int().min(0).max(255)).min(1).max(32).default([0]),
  })
  .superRefine((target, context) => {
    target.args.forEach((arg, index) => {
      if (/^-[a-z]*[ce]$/.test(target.args[index - 1] ?? "") && /\{\{\s*payload/.test(arg))
        context.addIssue({
          code: "custom",
          path: ["args", index],
          message: `puts the payload into a script, so that whoever triggers the job could add commands; set it in env and write "$NAME" in the script`,
          params: { code: "payload_in_script" },
        });
    });
    for (const field of TEMPLATED.shell)
      eachString(target[field], [field], (template, path) => {
        const problem = templateProblem(template);
        if (problem) context.addIssue({ code: "custom", path, message: problem, params: { code: "invalid_template" } });
      });
  });

/** Where an execution goes. */
export const targetSchema = z.discriminatedUnion("type", [httpTargetSchema, workerTargetSchema, shellTargetSchema], {
  error: 'needs a type: "http", "worker" or "shell"',
});

export type HttpTarget = z.infer<typeof httpTargetSchema>;
export type WorkerTarget = z.infer<typeof workerTargetSchema>;
export type ShellTarget = z.infer<typeof shellTargetSchema>;
export type Target = z.infer<typeof targetSchema>;

export function wantsCallback(target: Target): boolean {
  return target.type === "http" && target.completion === "callback";
}
