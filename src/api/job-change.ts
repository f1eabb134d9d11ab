import { PunctualError } from "../contract/errors.ts";
import type { ChangeResult, JobRecord } from "../store/port/jobs.ts";

/** The job and what became of it, or the error that says why nothing did. */
export function changed<T>(result: ChangeResult<T>, called: string): { job: JobRecord; value: T } {
  switch (result.kind) {
    case "done":
      return result;
    case "not_found":
      throw noJob(called);
    case "wrong_state":
      throw new PunctualError("wrong_state", `the job "${called}" is ${result.state}; this cannot be done with it`);
    case "version_mismatch":
      throw new PunctualError(
        "version_mismatch",
        `the job "${called}" is at version ${result.version} now; read it again`,
      );
    case "name_taken":
      throw new PunctualError("name_taken", `there is another job called "${result.name}"`);
    case "wrong_source":
      throw wrongSource(called, result.source);
  }
}

/** The job, or the error that there is none. */
export function foundJob(job: JobRecord | null, called: string): JobRecord {
  if (job === null) throw noJob(called);
  return job;
}

export function noJob(called: string): PunctualError {
  return new PunctualError("not_found", `there is no job "${called}"`);
}

export function wrongSource(called: string, owner: string | null): PunctualError {
  const belongs = owner === null ? "was made by hand" : `belongs to "${owner}"`;
  return new PunctualError(
    "wrong_source",
    `the job "${called}" ${belongs}; take it over with adopt=true if that is meant`,
  );
}

/** The version that the client saw, from If-Match; undefined if it does not say. */
export function expectedVersion(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === "*") return undefined;
  const version = /^(?:W\/)?"(\d{1,9})"$/.exec(header.trim())?.[1];
  if (version === undefined)
    throw new PunctualError(
      "version_mismatch",
      `If-Match is ${header.slice(0, 60)}; send the ETag of the job as it was read, such as "3"`,
    );
  return Number(version);
}
