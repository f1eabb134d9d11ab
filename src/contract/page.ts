import { z } from "zod";

/** A part of a list, and where the next part begins; null at the end. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
