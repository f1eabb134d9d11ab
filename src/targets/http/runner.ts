import type { KeyObject } from "node:crypto";
import type { JobSpec } from "../../contract/job.ts";
import type { Json } from "../../contract/json.ts";
import type { HttpTarget } from "../../contract/target.ts";
import type { AttemptResult } from "../../core/attempt.ts";
import type { AttemptSignal } from "../port/attempt-abort.ts";
import type { AbortReason, Accepted, Call, Kept, TargetRunner, Vault } from "../port.ts";
import { Redaction } from "../redaction.ts";
import { Redactions, refuseTooMuch } from "../redactions.ts";
import { CallRefused, VaultFailed } from "../refusal.ts";
import { callHeaders, signatureHeaders } from "./call-headers.ts";
import type { WrittenRequest } from "./connection.ts";
import { Dialler } from "./dial.ts";
import type { EgressGuard } from "./egress.ts";
import { Exchange } from "./exchange.ts";
import type { ForwardProxyOptions } from "./forward-proxy.ts";
import { type GuardedFetch, guardedFetch } from "./guarded-fetch.ts";
import { Origins } from "./origins.ts";
import { report, reportCalledOff, reportNotSent } from "./report.ts";
import { type RequestTemplate, RequestTemplates } from "./request-template.ts";
import { type Lookup, lookupBySystem, Resolver } from "./resolver.ts";

export interface HttpTargetOptions {
  /** For the user-agent. */
  version: string;
  /** The time of day in milliseconds, for signatures and dates in Retry-After. */
  now: () => number;
  connectionsPerOrigin?: number;
  /** Origins whose connections are kept for the next call. */
  originsMax?: number;
  bodyKeptBytes?: number;
  keepAliveMs?: number;
  /** How names are resolved, and for how long an answer may be used again. */
  lookup?: Lookup;
  dnsRememberedMs?: number;
  /** Certificates of authorities to trust beside the well-known ones (PEM). */
  ca?: readonly string[];
  /** What all calls go through. */
  proxy?: ForwardProxyOptions | undefined;
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** Makes the calls of jobs whose target is HTTP. */
export class HttpTargetRunner implements TargetRunner<HttpTarget> {
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #bodyKeptBytes: number;
  readonly #templates: RequestTemplates;
  readonly #redactions = new Redactions();
  readonly #origins: Origins;
  /** For calls that are not a job's, over the same connections and as long as this is not closed. */
  readonly fetch: GuardedFetch;

  constructor(vault: Vault, guard: EgressGuard, options: HttpTargetOptions) {
    const { connectionsPerOrigin = 64, originsMax = 256, bodyKeptBytes = 16_384, keepAliveMs = 4_000 } = options;
    this.#vault = vault;
    this.#now = options.now;
    this.#bodyKeptBytes = bodyKeptBytes;
    const userAgent = `Punctual/${options.version}`;
    this.#templates = new RequestTemplates(userAgent);
    const resolver = new Resolver(options.lookup ?? lookupBySystem, { rememberedMs: options.dnsRememberedMs ?? 1_000 });
    const dialler = new Dialler(guard, resolver, { ca: options.ca, proxy: options.proxy });
    this.#origins = new Origins(dialler, {
      connectionsPerOrigin,
      originsMax,
      keepAliveMs,
      keepAliveMaxMs: 60_000,
      headerBytesMax: 16_384,
    });
    this.fetch = guardedFetch(this.#origins, { userAgent });
  }

  async attempt(call: Call<HttpTarget>, signal: AttemptSignal): Promise<AttemptResult | Accepted> {
    const { target } = call.job;
    let prepared: Prepared;
    try {
      const template = this.#templates.of(call.job);
      const needs = this.#needs(call, template);
      prepared = this.#prepare(call, template, needs instanceof Promise ? await needs : needs);
    } catch (error) {
      return reportNotSent(error, { method: target.method, url: target.url });
    }
    const { template, request, shownUrl, redaction } = prepared;
    const shown = { method: target.method, url: shownUrl };
    if (signal.aborted) return reportCalledOff(signal.reason as AbortReason, shown);
    if (this.#origins.isDestroyed) return reportCalledOff("shutdown", shown);
    const exchange = new Exchange(this.#origins.get(template.origin), request, {
      timeoutMs: template.timeoutMs,
      connectTimeoutMs: template.connectTimeoutMs,
      bodyKeptBytes: this.#bodyKeptBytes,
      fresh: template.isFresh,
      signal,
    });
    const end = await exchange.run();
    return report(end, { target, request: shown, redaction, nowMs: this.#now });
  }

  /** By the secrets as they are now: of a value that was replaced since the call nothing is known any more. */
  async cleaned(projectId: string, job: JobSpec & { target: HttpTarget }, said: Json): Promise<Json> {
    const { secrets: names } = this.#templates.of(job);
    if (names.length === 0) return said;
    return this.#redactions.of(await this.#vault.secrets(projectId, names)).cleanJson(said);
  }

  /** Ends all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    this.#origins.destroy();
  }

  #prepare(call: Call<HttpTarget>, template: RequestTemplate, { secrets, keys }: Needs): Prepared {
    // A target that was meant to be signed with a certain key must not be called unsigned.
    const { signingKey } = call.job.target;
    if (keys.length === 0 && signingKey !== undefined)
      throw new CallRefused(
        "unknown_signing_key",
        `there is no signing key ${signingKey}; target.signingKey must name one of the project`,
      );
    refuseTooMuch(secrets);
    const { head, body, shownUrl } = template.build({ call, secrets });
    const own = callHeaders(call, { ownIdempotencyKey: template.usesOwnIdempotencyKey });
    const signature = signatureHeaders(call, keys, this.#now(), body);
    const request = {
      head: `${head}${own}${signature}${lengthHeader(template.method, body)}\r\n`,
      body,
      isReusable: !template.isFresh && !isUnusual(template.method, body),
    };
    return { template, request, shownUrl, redaction: withCallback(this.#redactions.of(secrets), call.callbackUrl) };
  }

  #needs({ projectId, job }: Call<HttpTarget>, template: RequestTemplate): Kept<Needs> {
    const { secrets: names } = template;
    try {
      const secrets = names.length === 0 ? NO_SECRETS : this.#vault.secrets(projectId, names);
      const keys = this.#vault.signingKeys(projectId, job.target.signingKey);
      return secrets instanceof Promise || keys instanceof Promise ? awaited(secrets, keys) : { secrets, keys };
    } catch (cause) {
      throw new VaultFailed(cause);
    }
  }
}

/** What a call needs beside its job. */
interface Needs {
  secrets: ReadonlyMap<string, string>;
  keys: readonly KeyObject[];
}

async function awaited(secrets: Kept<Needs["secrets"]>, keys: Kept<Needs["keys"]>): Promise<Needs> {
  try {
    const [known, knownKeys] = await Promise.all([secrets, keys]);
    return { secrets: known, keys: knownKeys };
  } catch (cause) {
    throw new VaultFailed(cause);
  }
}

interface Prepared {
  template: RequestTemplate;
  request: WrittenRequest;
  shownUrl: string;
  redaction: Redaction;
}

function withCallback(redaction: Redaction, callbackUrl: string | null): Redaction {
  if (callbackUrl === null) return redaction;
  // Whoever reads the callback's address, or only its token, may settle the execution, so they are as secret as a secret.
  const token = callbackUrl.slice(callbackUrl.lastIndexOf("/") + 1);
  const callback = [callbackUrl, token].map((text): [string, string] => ["callback", text]);
  return new Redaction(callback, { others: redaction });
}

/** Methods that usually come without a body say nothing of one that is not there. */
function lengthHeader(method: HttpTarget["method"], body: Buffer): string {
  return body.length === 0 && (method === "GET" || method === "DELETE") ? "" : `content-length: ${body.length}\r\n`;
}

/** A body that some servers do not read, so that they would take it for the next request. */
function isUnusual(method: HttpTarget["method"], body: Buffer): boolean {
  return body.length > 0 && method === "DELETE";
}
