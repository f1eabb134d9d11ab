import type { JobsUsing } from "../store/port/jobs.ts";

/** Counting ends there. */
const COUNTED_MAX = 1_000;

/** `2 jobs (a, b)`, `1000 jobs or more (a, b, c, …)` */
export function jobsInWords({ count, names }: JobsUsing): string {
  const many = count >= COUNTED_MAX ? `${count} jobs or more` : count === 1 ? "1 job" : `${count} jobs`;
  return `${many} (${names.join(", ")}${count > names.length ? ", …" : ""})`;
}
