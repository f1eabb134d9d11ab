import type { HttpTarget } from "../../contract/target.ts";
import type { AttemptResult } from "../../core/attempt.ts";
import type { AbortReason, Accepted, Call, TargetRunner, Vault } from "../port.ts";
import { Redaction } from "../redaction.ts";
import { CallRefused, VaultFailed } from "../refusal.ts";
import { addCallHeaders, addSignature } from "./call-headers.ts";
import { Dialler } from "./dial.ts";
import type { EgressGuard } from "./egress.ts";
import { Exchange } from "./exchange.ts";
import { Origins } from "./origins.ts";
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

const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** Makes the calls of jobs whose target is HTTP. */
export class HttpTargetRunner implements TargetRunner<HttpTarget> {
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

  async attempt(call: Call<HttpTarget>, signal: AbortSignal): Promise<AttemptResult | Accepted> {
    const { target, delivery } = call.job;
    let prepared: Prepared;
    try {
      prepared = await this.#prepare(call);
    } catch (error) {
      return reportNotSent(error, { method: target.method, url: target.url });
    }
    const { template, request, redaction } = prepared;
    const shown = { method: target.method, url: request.shownUrl };
    if (signal.aborted) return reportCalledOff(signal.reason as AbortReason, shown);
    if (this.#isClosed) return reportCalledOff("shutdown", shown);
    const fresh = delivery === "at_most_once";
    const exchange = new Exchange(this.#origins.get(template.origin), dispatchOptions(template, request, fresh), {
      timeoutMs: template.timeoutMs,
      connectTimeoutMs: template.connectTimeoutMs,
      bodyKeptBytes: this.#bodyKeptBytes,
      fresh,
      signal,
    });
    const end = await exchange.run();
    return report(end, { target, request: shown, redaction, nowMs: this.#now() });
  }

  /** Ends all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#origins.destroy();
  }

  async #prepare(call: Call<HttpTarget>): Promise<Prepared> {
    const template = this.#templates.of(call.job);
    const [secrets, keys] = await this.#ask(call, template.secrets);
    // A target that was meant to be signed with a certain key must not be called unsigned.
    const { signingKey } = call.job.target;
    if (keys.length === 0 && signingKey !== undefined)
      throw new CallRefused(
        "unknown_signing_key",
        `there is no signing key ${signingKey}; target.signingKey must name one of the project`,
      );
    const request = template.build({ call, secrets });
    addCallHeaders(request.headers, call, { ownIdempotencyKey: template.usesOwnIdempotencyKey });
    addSignature(request.headers, call, keys, this.#now(), request.body);
    return { template, request, redaction: redactionFor(secrets, call.callbackUrl) };
  }

  async #ask(
    { projectId, job }: Call<HttpTarget>,
    secrets: string[],
  ): Promise<[ReadonlyMap<string, string>, Buffer[]]> {
    try {
      const values = secrets.length === 0 ? NO_SECRETS : await this.#vault.secrets(projectId, secrets);
      return [values, await this.#vault.signingKeys(projectId, job.target.signingKey)];
    } catch (cause) {
      throw new VaultFailed(cause);
    }
  }
}

interface Prepared {
  template: RequestTemplate;
  request: BuiltRequest;
  redaction: Redaction;
}

function redactionFor(secrets: ReadonlyMap<string, string>, callbackUrl: string | null): Redaction {
  if (secrets.size === 0 && callbackUrl === null) return Redaction.none;
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
