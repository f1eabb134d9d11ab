import { z } from "zod";

const status = z.enum(["ok", "unavailable"]);

export const healthSchema = z.object({ status, version: z.string() });
export type Health = z.infer<typeof healthSchema>;

export const detailedHealthSchema = z.object({
  status,
  version: z.string(),
  node: z.object({ id: z.string(), name: z.string() }),
  database: z.object({
    reachable: z.boolean(),
    version: z.string().nullable(),
    latencyMs: z.number().nullable(),
    connections: z.object({ total: z.int(), idle: z.int(), waiting: z.int() }),
  }),
  clock: z.object({ offsetMs: z.number().describe("the database's clock less this node's") }).nullable(),
  queue: z
    .object({
      due: z.int().describe("executions due and not started"),
      lagMs: z.number().describe("age of the oldest of them"),
      depth: z.array(z.object({ priorityBand: z.string(), due: z.int() })),
    })
    .nullable(),
  echoUrl: z.string().nullable().describe("where calls are answered for trying things out, as `dev` does; else null"),
  nodes: z.object({ alive: z.int(), lost: z.int() }).nullable(),
});
export type DetailedHealth = z.infer<typeof detailedHealthSchema>;
