// What a call of a job looks like, worked out once per job version: where the URL is cut, which headers are fixed,
// which secrets are needed. Building a request from it is the cheap part that happens for each attempt.

import { parseDuration } from "../../contract/duration.ts";
import type { JobSpec } from "../../contract/job.ts";
import type { HttpTarget } from "../../contract/target.ts";
import { CallRefused } from "../refusal.ts";
import { asText, compile, fill, holesOf, secretsOf, type Template, type Values } from "../template.ts";
import { type BodyTemplate, bodyTemplate } from "./body-template.ts";
import { compileUrl, fillUrl, type UrlTemplate } from "./url-template.ts";

// A timer for longer would go off at once.
const TIMER_MAX_MS = 2 ** 31 - 1;
const HEADER_CHARACTERS_MAX = 16 * 1024;
// Latin-1 without control characters is what HTTP can carry. A line break would begin a header of its own.
const NOT_FOR_HEADERS = /[^\t\u0020-\u007e\u0080-\u00ff]/;

interface HeaderTemplate {
  name: string;
  template: Template;
}

/** A request but for what belongs to the single call: signature, ids, trace. */
export interface BuiltRequest {
  /** The request line and headers, each with the end of its line. */
  head: string;
  /** The whole URL for people, secrets left out. */
  shownUrl: string;
  body: Buffer;
}

export class RequestTemplate {
  readonly method: HttpTarget["method"];
  readonly origin: string;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Secrets that must be at hand to build. */
  readonly secrets: string[];
  /** The call never shares its connection with another. */
  readonly isFresh: boolean;
  /** The idempotency key is the call's own: the job names no other and does not switch it off. */
  readonly usesOwnIdempotencyKey: boolean;
  readonly #url: UrlTemplate;
  /** What stands behind the path, up to the headers that have to be filled in. */
  readonly #fixedHead: string;
  readonly #headers: HeaderTemplate[];
  readonly #body: BodyTemplate;

  constructor(job: JobSpec & { target: HttpTarget }, userAgent: string) {
    const { target } = job;
    this.method = target.method;
    this.timeoutMs = Math.min(parseDuration(target.timeout), TIMER_MAX_MS);
    this.connectTimeoutMs = Math.min(parseDuration(target.connectTimeout), this.timeoutMs);
    this.isFresh = job.delivery === "at_most_once";
    this.#url = compileUrl(target.url, target.query);
    this.origin = this.#url.origin;
    this.#body = bodyTemplate(target);
    const named = new Map(Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.usesOwnIdempotencyKey = !named.has("idempotency-key");
    const headers = headerTemplates(named, this.#body.contentType, userAgent);
    this.#headers = headers.filter(({ template }) => holesOf(template).length > 0);
    this.#fixedHead = ` HTTP/1.1\r\nhost: ${new URL(this.origin).host}\r\nconnection: ${this.isFresh ? "close" : "keep-alive"}\r\n`;
    for (const { name, template } of headers)
      if (holesOf(template).length === 0) this.#fixedHead += headerLine(name, template.join(""));
    refuseUnfit("punctual-job", job.name);
    this.secrets = secretsOf([
      ...this.#url.holes,
      ...this.#body.holes,
      ...this.#headers.flatMap(({ template }) => holesOf(template)),
    ]);
  }

  build(values: Values): BuiltRequest {
    const { path, shownUrl } = fillUrl(this.#url, values);
    let head = `${this.method} ${path}${this.#fixedHead}`;
    for (const { name, template } of this.#headers) head += headerLine(name, fillHeader(name, template, values));
    return { head, shownUrl, body: this.#body.build(values) };
  }
}

/** Templates by job version. The key is the version's object, so that an entry goes when the version goes. */
export class RequestTemplates {
  readonly #known = new WeakMap<JobSpec, RequestTemplate>();
  readonly #userAgent: string;

  constructor(userAgent: string) {
    this.#userAgent = userAgent;
  }

  of(job: JobSpec & { target: HttpTarget }): RequestTemplate {
    let template = this.#known.get(job);
    if (template === undefined) {
      template = new RequestTemplate(job, this.#userAgent);
      this.#known.set(job, template);
    }
    return template;
  }
}

function headerTemplates(
  named: Map<string, string | null>,
  contentType: string | null,
  userAgent: string,
): HeaderTemplate[] {
  const all = new Map<string, string | null>([["user-agent", userAgent]]);
  if (contentType !== null) all.set("content-type", contentType);
  for (const [name, value] of named) all.set(name, value);
  return [...all].flatMap(([name, value]) => (value === null ? [] : [{ name, template: compile(value) }]));
}

function fillHeader(name: string, template: Template, values: Values): string {
  const limit = { what: `the header ${name}`, charactersMax: HEADER_CHARACTERS_MAX };
  return fill(template, values, asText, limit);
}

/** Refused if the value would not stay within its header. */
export function headerLine(name: string, value: string): string {
  refuseUnfit(name, value);
  return `${name}: ${value}\r\n`;
}

function refuseUnfit(name: string, value: string): void {
  if (NOT_FOR_HEADERS.test(value))
    throw new CallRefused(
      "template",
      `the header ${name} would contain a line break or another character that headers cannot carry`,
    );
}
