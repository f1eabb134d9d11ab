// What a worker must keep to, without schemas: workers know it before they are told, and have no zod.

export const WORKER_LEASE_MS = 30_000;
/** Executions handed out in one answer. */
export const CLAIM_MAX = 500;
export const CLAIM_WAIT_MS_MAX = 30_000;
export const HANDLERS_MAX = 500;
export const SETTLE_MAX = 1_000;
/** Of what a handler returns, as JSON. */
export const RESULT_BYTES_MAX = 256 * 1024;

/** Of a worker's id. */
export const WORKER_ID = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
  rule: "must be 1 to 128 letters, digits or . _ -",
} as const;

/** Of what a worker calls the function that does the work. */
export const HANDLER_NAME = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/,
  rule: "must start with a letter or digit and have only letters, digits, . _ : / - (at most 128)",
} as const;
