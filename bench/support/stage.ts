import type { Postgres } from "./postgres.ts";
import type { Redis } from "./redis.ts";

/** What a measurement has at hand. */
export interface Stage {
  postgres: Postgres;
  redis: Redis | null;
  /** Small sizes: does everything run? */
  quick: boolean;
  /** The server counts statements, which costs it time: for looking, not for measuring. */
  counting: boolean;
}
