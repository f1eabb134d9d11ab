import { z } from "zod";
import { text } from "./json.ts";
import { anyOf, flag, instant, pageQuery } from "./parameters.ts";

/** One line of the audit: who did what to which thing, from where. */
export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  action: z.string().describe("such as job.edit or api_key.revoke"),
  actor: z.object({
    kind: z.enum(["key", "session", "token", "nobody"]),
    id: z.string().describe("of the key, the person or the token's subject"),
    name: z.string(),
  }),
  object: z.object({ kind: z.string(), id: z.string(), name: z.string().nullable() }).nullable(),
  before: z.unknown().describe("what it was; secrets are left out"),
  after: z.unknown().describe("what it became"),
  address: z.string().nullable(),
  requestId: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const FILTER_MAX = 300;

export const auditQuery = z.strictObject({
  ...pageQuery,
  actor: text(FILTER_MAX).optional().describe("name or id of who did it"),
  action: anyOf(
    z.string().regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, "is not an action such as job.edit, nor its first part"),
  )
    .optional()
    .describe("job.edit, or job for all about jobs"),
  object: text(FILTER_MAX).optional().describe("id or name of what it was done to"),
  from: instant.optional(),
  to: instant.optional(),
  instance: flag.describe("what belongs to no project, such as signing in; for instance admins"),
});
export type AuditQuery = z.input<typeof auditQuery>;
