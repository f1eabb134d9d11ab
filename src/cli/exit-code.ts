/** What a script can tell from the end of a command; docs/cli.md has the same table. */
export const EXIT = {
  done: 0,
  /** Unreachable, refused, in the wrong state, changed meanwhile. */
  failed: 1,
  /** A flag, an argument, a setting or a field that cannot be right. */
  usage: 2,
  /** The command did its part, but the execution it waited for failed, was cancelled or skipped. */
  notSucceeded: 3,
  notFound: 4,
  /** Asked to tell (plan --detailed-exitcode): there is something to do. */
  changes: 5,
} as const;
