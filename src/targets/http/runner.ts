import type { AttemptResult } from "../../core/attempt.ts";
import type { AbortReason, Accepted, Call, TargetRunner, Vault } from "../port.ts";
import { addCallHeaders, addSignature } from "./call-headers.ts";
import { Dialler } from "./dial.ts";
import type { EgressGuard } from "./egress.ts";
import { Exchange } from "./exchange.ts";
import { Origins } from "./origins.ts";
import { Redaction } from "./redaction.ts";
import { CallRefused } from "./refusal.ts";
import { report, reportCalledOff, reportNotSent } from "./report.ts";
import { type BuiltRequest, type RequestTemplate, RequestTemplates } from "./request-template.ts";
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
}

/** Bodies up to this are read to their end, although only `bodyKeptBytes` are kept, to save the connection. */
const BODY_READ_BYTES = 256 * 1024;
const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** Makes the calls of jobs whose target is HTTP. */
export class HttpTargetRunner implements TargetRunner {
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #bodyKeptBytes: number;
  readonly #templates: RequestTemplates;
  readonly #origins: Origins;
  #isClosed = false;

  constructor(vault: Vault, guard: EgressGuard, options: HttpTargetOptions) {
    const { connectionsPerOrigin = 64, originsMax = 256, bodyKeptBytes = 16_384, keepAliveMs = 4_000 } = options;
    this.#vault = vault;
    this.#now = options.now;
    this.#bodyKeptBytes = bodyKeptBytes;
    this.#templates = new RequestTemplates(`Punctual/${options.version}`);
    const resolver = new Resolver(options.lookup ?? lookupBySystem, { rememberedMs: options.dnsRememberedMs ?? 1_000 });
    const dialler = new Dialler(guard, resolver, { ca: options.ca });
    this.#origins = new Origins(dialler, {
      connectionsPerOrigin,
      originsMax,
      keepAliveMs,
      keepAliveMaxMs: 60_000,
      headerBytesMax: 16_384,
    });
  }

  async attempt(call: Call, signal: AbortSignal): Promise<AttemptResult | Accepted> {
    const { target } = call.job;
    let template: RequestTemplate;
    let request: BuiltRequest;
    let redaction = Redaction.none;
    try {
      template = this.#templates.of(call.job);
      const secrets =
        template.secrets.length === 0 ? NO_SECRETS : await this.#vault.secrets(call.projectId, template.secrets);
      if (secrets.size > 0 || call.callbackUrl !== null) redaction = redactionFor(secrets, call.callbackUrl);
      request = template.build({ call, secrets });
      addCallHeaders(request.headers, call, { ownIdempotencyKey: template.usesOwnIdempotencyKey });
      addSignature(request.headers, call, await this.#signingKeys(call), this.#now(), request.body);
    } catch (error) {
      return reportNotSent(error, { request: { method: target.method, url: target.url } });
    }
    const shown = { method: target.method, url: request.shownUrl };
    if (signal.aborted) return reportCalledOff(signal.reason as AbortReason, { request: shown });
    if (this.#isClosed) return reportCalledOff("shutdown", { request: shown });
    const fresh = call.job.delivery === "at_most_once";
    const end = await new Exchange(
      this.#origins.get(template.origin),
      dispatchOptions(template, request, fresh),
      {
        timeoutMs: template.timeoutMs,
        connectTimeoutMs: template.connectTimeoutMs,
        bodyKeptBytes: this.#bodyKeptBytes,
        bodyReadBytes: BODY_READ_BYTES,
      },
      { fresh, signal },
    ).run();
    return report(end, { target, request: shown, redaction, nowMs: this.#now() });
  }

  /** Ends all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#origins.destroy();
  }

  async #signingKeys(call: Call): Promise<Buffer[]> {
    const name = call.job.target.signingKey;
    const keys = await this.#vault.signingKeys(call.projectId, name);
    // A target that was meant to be signed with a certain key must not be called unsigned.
    if (keys.length === 0 && name !== undefined)
      throw new CallRefused(
        "unknown_signing_key",
        `there is no signing key ${name}; target.signingKey must name one of the project`,
      );
    return keys;
  }
}

function redactionFor(secrets: ReadonlyMap<string, string>, callbackUrl: string | null): Redaction {
  // Whoever reads the callback's address may settle the execution, so it is as secret as a secret.
  return new Redaction(callbackUrl === null ? secrets : [...secrets, ["callback", callbackUrl]]);
}

function dispatchOptions(template: RequestTemplate, request: BuiltRequest, fresh: boolean) {
  const { path, headers, body } = request;
  return {
    path,
    method: template.method,
    headers,
    body: body.length === 0 ? null : body,
    ...(fresh ? { reset: true } : {}),
  };
}
