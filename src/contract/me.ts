import { z } from "zod";
import { roleSchema } from "./account.ts";
import { SCOPES } from "./api-key.ts";

/** Whoever a key, session or token belongs to. */
export const meSchema = z.object({
  kind: z.enum(["key", "session", "token"]),
  name: z.string(),
  project: z
    .object({ id: z.uuid(), name: z.string() })
    .nullable()
    .describe("the one they act in: a key's own, or the one that was named; null if none was"),
  scopes: z.array(z.enum(SCOPES)).describe("what they may do in it"),
  instanceAdmin: z.boolean(),
  projects: z
    .array(z.object({ id: z.uuid(), name: z.string(), role: roleSchema }))
    .describe("of a person: those they are a member of"),
});
export type Me = z.infer<typeof meSchema>;
