import { z } from "zod";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88})={0,2}$/;
const NOT_A_SECRET = "must be whsec_ and base64 of 24 to 64 bytes";

export const signingKeyInput = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be 1 to 128 letters, digits or . _ -"),
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

export const signingKeySchema = z.object({ id: z.uuid(), name: z.string(), createdAt: z.iso.datetime() });
export type SigningKey = z.infer<typeof signingKeySchema>;

export const signingSecretSchema = z.object({
  secret: z.string().describe("whsec_…, as Standard Webhooks libraries take it"),
});
