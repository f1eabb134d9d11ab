// How much of what is logged is kept, without schemas: those who write logs have no zod.

/** What is kept of one execution, over all its attempts; further lines are counted and dropped. */
export const LOG_LINES_MAX = 10_000;
export const LOG_BYTES_MAX = 1024 * 1024;
/** Longer messages are cut; fields that are larger, as JSON, are dropped with a note. In characters. */
export const LOG_MESSAGE_MAX = 16_384;
export const LOG_FIELDS_MAX = 16_384;
