import { createSecretKey } from "node:crypto";
import { setMaxListeners } from "node:events";
import { onTestFinished } from "vitest";
import type { JobSpec } from "../../../contract/job.ts";
import { jobInputSchema } from "../../../contract/job.ts";
import type { Json } from "../../../contract/json.ts";
import type { HttpTarget } from "../../../contract/target.ts";
import type { AttemptResult } from "../../../core/attempt.ts";
import { type Accepted, type Call, SILENT, type Vault } from "../../port.ts";
import { EgressGuard, type EgressLists } from "../egress.ts";
import { type HttpTargetOptions, HttpTargetRunner } from "../runner.ts";

export const NOW_MS = Date.UTC(2026, 11, 1, 1, 0, 0);

export interface TestVault {
  secrets?: Record<string, string>;
  signingKeys?: Buffer[];
}

/** A runner for servers on this machine, closed when the test is over. */
export function makeRunner(
  options: Partial<HttpTargetOptions> = {},
  vault: TestVault | Vault = {},
  egress: EgressLists = { allow: ["127.0.0.0/8", "::1/128"] },
): HttpTargetRunner {
  const runner = new HttpTargetRunner(isVault(vault) ? vault : vaultOf(vault), new EgressGuard(egress), {
    version: "1.2.3",
    now: () => NOW_MS,
    ...options,
  });
  onTestFinished(() => runner.close());
  return runner;
}

function isVault(vault: TestVault | Vault): vault is Vault {
  return typeof vault.secrets === "function";
}

function vaultOf({ secrets = {}, signingKeys = [] }: TestVault): Vault {
  return {
    secrets: async (_, names) => new Map(names.flatMap((name) => (name in secrets ? [[name, secrets[name]!]] : []))),
    signingKeys: async (_, name) => (name === undefined ? signingKeys.map((key) => createSecretKey(key)) : []),
  };
}

/** A call as the dispatcher makes it: the job has passed the contract's schema. */
export function makeCall(
  target: Record<string, unknown>,
  overrides: Partial<Call<HttpTarget>> & { delivery?: JobSpec["delivery"] } = {},
): Call<HttpTarget> {
  const { delivery = "at_least_once", ...rest } = overrides;
  const payload: Json = rest.payload ?? { order: 17 };
  const input = jobInputSchema.parse({
    name: "nightly-report",
    target: { type: "http", ...target },
    payload,
    delivery,
  });
  return {
    executionId: "0198f0c1-2345-8abc-8def-0123456789ab",
    rootId: "0198f0c1-0000-8abc-8def-0123456789ab",
    attempt: 2,
    trigger: "schedule",
    scheduledAt: new Date(NOW_MS),
    startedAt: new Date(NOW_MS),
    projectId: "project",
    jobId: "0198f0c1-1111-7abc-8def-0123456789ab",
    jobVersion: 3,
    job: input as JobSpec & { target: HttpTarget },
    payload,
    callbackUrl: null,
    reporter: SILENT,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ...rest,
  };
}

export const never = new AbortController().signal;
setMaxListeners(0, never);

/** The result of an attempt that was not merely accepted. */
export function settled(result: AttemptResult | Accepted): AttemptResult {
  if (result.outcome === "accepted") throw new Error("the attempt was accepted, not settled");
  return result;
}
