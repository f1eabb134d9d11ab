import type { Call } from "../port.ts";
import type { CommandUser } from "./command-user.ts";

/**
 * All that a command sees of its surroundings. Of the node's own environment, which has the database's password in it, only
 * what the operator allows; what the job sets counts more than that.
 */
export function commandEnvironment(
  call: Call,
  set: Record<string, string>,
  options: { own: Readonly<Record<string, string | undefined>>; allowed: readonly string[]; user: CommandUser | null },
): Record<string, string> {
  const { own, allowed, user } = options;
  const inherited = allowed.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  return {
    ...Object.fromEntries(inherited),
    ...(user === null ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name }),
    ...set,
    PUNCTUAL_EXECUTION_ID: call.executionId,
    PUNCTUAL_JOB: call.job.name,
    PUNCTUAL_ATTEMPT: String(call.attempt),
    PUNCTUAL_SCHEDULED_AT: call.scheduledAt.toISOString(),
    TRACEPARENT: call.traceparent,
  };
}
