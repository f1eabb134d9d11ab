import { z } from "zod";
import { durationWithin } from "./duration-schema.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88})={0,2}$/;
const NOT_A_SECRET = "must be whsec_ and base64 of 24 to 64 bytes";

const SIGNING_KEY_USES = ["project", "named"] as const;
export type SigningKeyUse = (typeof SIGNING_KEY_USES)[number];
const use = z
  .enum(SIGNING_KEY_USES)
  .describe(
    "project: signs the calls of all jobs that name no key; named: only of jobs whose target.signingKey names it",
  );

export const signingKeyInput = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be 1 to 128 letters, digits or . _ -"),
  use: use.default("project"),
  secret: z
    .string()
    .regex(SECRET, NOT_A_SECRET)
    .refine((text) => byteLength(text) >= 24 && byteLength(text) <= 64, NOT_A_SECRET)
    .optional()
    .describe("default: a new one"),
});

/** Of the bytes that the base64 stands for: three for every four characters. */
function byteLength(secret: string): number {
  return Math.floor(((SECRET.exec(secret)?.[1]?.length ?? 0) * 3) / 4);
}

export const signingKeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  version: z.int().describe("counted from 1 by rotation; each version has an id and a secret of its own"),
  use,
  state: z.enum(["active", "expired"]),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso
    .datetime()
    .nullable()
    .describe("set by rotation: until then it signs beside its successor. It is shown for 30 days more"),
});
export type SigningKey = z.infer<typeof signingKeySchema>;

export const rotateSigningKeySchema = z.strictObject({
  overlap: durationWithin({ max: "30d" }).default("24h").describe("how long the old version signs beside the new one"),
});

export const signingSecretSchema = z.object({
  secret: z.string().describe("whsec_…, as Standard Webhooks libraries take it"),
});
