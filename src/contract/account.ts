// People: who they are, what they may do in a project, and how they sign in.

import { z } from "zod";
import { SCOPES, type Scope } from "./api-key.ts";
import { text } from "./json.ts";

/** What somebody may do in a project; each may also do what those before it may. */
export const ROLES = ["viewer", "operator", "editor", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const ROLE_SCOPES: Record<Role, readonly Scope[]> = {
  viewer: ["read"],
  operator: ["read", "operate"],
  editor: ["read", "operate", "write"],
  admin: SCOPES,
};

export const roleSchema = z.enum(ROLES, { error: `must be one of ${ROLES.join(", ")}` });

export const PASSWORD_CHARACTERS_MIN = 12;

export const emailSchema = text(254)
  .trim()
  .toLowerCase()
  .refine((value) => /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(value), "must be an e-mail address, such as ann@example.com");

export const newPasswordSchema = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `must have at least ${PASSWORD_CHARACTERS_MIN} characters`)
  .max(256, "must have at most 256 characters")
  .refine((value) => new Set(value).size > 4, "must have more than four different characters");

/** A password that is only compared: whatever it is, it is right or wrong. */
const presentedPassword = z.string().max(1024);

export const memberSchema = z.object({
  id: z.uuid().describe("of the person"),
  email: z.string(),
  name: z.string(),
  role: roleSchema,
  createdAt: z.iso.datetime(),
  createdBy: z.string().nullable(),
});
export type Member = z.infer<typeof memberSchema>;

export const newMemberSchema = z.strictObject({
  email: emailSchema,
  name: text(128).trim().optional().describe("what the person is called; default: the address before the @"),
  role: roleSchema,
});
export type NewMember = z.input<typeof newMemberSchema>;

/** The only answer that ever has the link. */
export const addedMemberSchema = memberSchema.extend({
  link: z
    .string()
    .nullable()
    .describe(
      "for somebody who is new here, if an instance admin added them: where they choose their password, once; shown this once",
    ),
});
export type AddedMember = z.infer<typeof addedMemberSchema>;

export const memberPatchSchema = z.strictObject({ role: roleSchema });

export const sessionSchema = z.object({
  id: z.uuid(),
  current: z.boolean().describe("the one that asks"),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime().describe("to the minute"),
  expiresAt: z.iso.datetime().describe("at the latest; sooner if it is not used"),
  address: z.string(),
  userAgent: z.string(),
});
export type Session = z.infer<typeof sessionSchema>;

const oneTime = z.string().regex(/^[\w-]{43}$/, "is not the whole of a link's token");

export const loginSchema = z.union([
  z.strictObject({ email: emailSchema, password: presentedPassword }),
  z.strictObject({ token: oneTime.describe("of a link that signs in once") }),
]);
export type Login = z.input<typeof loginSchema>;

export const setupSchema = z.strictObject({
  token: oneTime.describe("of the set-up link or of an invitation"),
  password: newPasswordSchema,
  email: emailSchema.optional().describe("of the first admin; an invitation knows whom it is for"),
  name: text(128).trim().min(1).optional(),
});
export type Setup = z.input<typeof setupSchema>;

export const changePasswordSchema = z.strictObject({ current: presentedPassword, password: newPasswordSchema });

/** How one may sign in here. */
export const waysSchema = z.object({
  password: z.boolean(),
  oidc: z.boolean(),
  setup: z.boolean().describe("nobody can sign in yet: the set-up link makes the first admin"),
});
export type Ways = z.infer<typeof waysSchema>;
