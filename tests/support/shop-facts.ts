/** What the shop and its test say to each other. */
export interface ShopOptions {
  database: string;
  name: string;
  lease: string;
  /** Where the lines go. */
  file: string;
}

/** A line of the shop's file. */
export interface Handling {
  shop: string;
  what: "begins" | "ends";
  job: string;
  execution: string;
  attempt: number;
  scheduledAt: string;
}

export const TICKS = ["tick-1", "tick-2", "tick-3"];
