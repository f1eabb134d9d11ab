import { z } from "zod";

const instant = z.iso.datetime();

export const previewSchema = z.object({
  instants: z.array(
    z.object({
      at: instant.describe("when it will run"),
      scheduledAt: instant.describe("the instant of the schedule that it stands for"),
      local: z.string().describe("what the clock shows in the schedule's zone"),
      note: z.string().nullable(),
    }),
  ),
  description: z.string(),
  notes: z.array(z.string()),
});
