import { z } from "zod";

const instant = z.iso.datetime();

export const nodeSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  roles: z.array(z.string()),
  version: z.string(),
  concurrency: z.int(),
  running: z.int(),
  alive: z.boolean(),
  startedAt: instant,
  renewedAt: instant,
  leaseUntil: instant,
});
export type NodeView = z.infer<typeof nodeSchema>;
