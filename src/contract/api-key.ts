import { z } from "zod";
import { durationWithin } from "./duration-schema.ts";
import { text } from "./json.ts";

/** What a key may do. Those who may change a job may also run it, and those who may run it may look at it. */
export const SCOPES = ["read", "operate", "write", "work", "metrics", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export const API_KEY_STATES = ["active", "expired", "revoked"] as const;
export type ApiKeyState = (typeof API_KEY_STATES)[number];

/** The part of a key that may be shown: it names the key, and opens nothing. */
export const apiKeyIdSchema = z.string().regex(/^[0-9A-Za-z]{12}$/, "must be the 12 letters and digits of a key's id");

const instant = z.iso.datetime({ offset: true, error: "must be a time such as 2026-12-01T09:00:00Z" });

/** It is shown as who did something: no line breaks, and nothing that turns the text around. */
function isVisible(name: string): boolean {
  return !/\p{C}/u.test(name);
}

export const newApiKeySchema = z
  .strictObject({
    name: text(128)
      .trim()
      .min(1)
      .refine(isVisible, "contains characters that cannot be seen")
      .describe("what it is for; shown as the actor of what is done with it"),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).describe("what it may do"),
    instanceAdmin: z
      .boolean()
      .default(false)
      .describe("may see to the instance itself and act in every project; needs the scope admin"),
    expiresAt: instant.optional().describe("when it ends; default: never"),
    expiresIn: durationWithin({ min: "1s" }).optional().describe("the same, counted from now"),
  })
  .superRefine((key, context) => {
    if (key.expiresAt !== undefined && key.expiresIn !== undefined)
      context.addIssue({ code: "custom", path: ["expiresIn"], message: "give expiresAt or expiresIn, not both" });
    if (key.instanceAdmin && !key.scopes.includes("admin"))
      context.addIssue({ code: "custom", path: ["scopes"], message: "an instance admin's key needs the scope admin" });
  });
export type NewApiKey = z.input<typeof newApiKeySchema>;

export const apiKeySchema = z.object({
  id: z.string().describe("the part of the key that may be shown"),
  name: z.string(),
  state: z.enum(API_KEY_STATES),
  scopes: z.array(z.enum(SCOPES)),
  instanceAdmin: z.boolean(),
  createdAt: z.iso.datetime(),
  createdBy: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable().describe("to the minute"),
  revokedAt: z.iso.datetime().nullable(),
  replacedBy: z.string().nullable().describe("the key that it was rotated to; until expiresAt both are valid"),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The only answer that ever has the key itself. */
export const madeApiKeySchema = apiKeySchema.extend({
  key: z.string().describe("punctual_<id>_<secret and checksum>; it is not kept and cannot be shown again"),
});
export type MadeApiKey = z.infer<typeof madeApiKeySchema>;

export const rotateApiKeySchema = z.strictObject({
  overlap: durationWithin({ max: "30d" })
    .default("24h")
    .describe("how long the old key stays valid beside the new one"),
});
