import { z } from "zod";
import { SCOPES } from "./api-key.ts";

/** Whoever a key belongs to. */
export const meSchema = z.object({
  name: z.string(),
  project: z.object({ id: z.uuid(), name: z.string() }),
  scopes: z.array(z.enum(SCOPES)),
  instanceAdmin: z.boolean(),
});
export type Me = z.infer<typeof meSchema>;
