// What every contestant can do, so that all are put to the same work. Each lives in a process of its own (stage.ts).

/** Where it keeps its work: both are its own, and empty. */
export interface Place {
  databaseUrl: string;
  /** "" where there is no Redis. */
  redisUrl: string;
}

/** One piece of work. Its number is its payload, and all that its handler is told. */
export interface Item {
  id: number;
  /** Milliseconds since 1970; without it: now. */
  at?: number;
  /** Whole numbers from 0 (mix.ts); the largest comes first. */
  urgency?: number;
}

/** Throws if the work fails. */
export type Handle = (id: number) => void | Promise<void>;

export interface Contestant {
  /** Lays out work, by its own way for many at once. */
  lay(items: readonly Item[]): Promise<void>;
  /** Begins to work. Resolves when it has begun. */
  work(handle: Handle): Promise<void>;
  /** How many of the items its storage does not know to be finished yet. */
  unfinished(): Promise<number>;
  /** How many finished ones its storage remembers. */
  remembered(): Promise<number>;
  close(): Promise<void>;
}

export type Open<Settings> = (place: Place, settings: Settings) => Promise<Contestant>;
