/** A link that signs in was opened a second time, or too late. */
export const DEAD_LINK =
  "A sign-in link works once, and this one has been used or is too old. To get another, restart Punctual, or run where it runs: punctual setup-link";

/** Why signing in through an identity provider came to nothing: the words of docs/signing-in.md. */
const BY_PROVIDER: Record<string, string> = {
  not_begun: "That took longer than ten minutes, or was begun in another browser. Begin again.",
  no_account: "Nobody here has the address of that account. Ask an admin to add you to a project.",
  unverified_address:
    "Your organisation’s account has no address that is marked as verified. Ask whoever looks after the accounts.",
  access_denied: "Signing in was refused there. Try again, or ask whoever looks after the accounts.",
  provider_error: "Your organisation’s sign-in answered with an error. The log of Punctual has more.",
  provider_unavailable: "Your organisation’s sign-in cannot be reached at the moment. Try again later.",
  invalid_answer: "What your organisation’s sign-in answered was not for this sign-in. Begin again.",
};

export function refusedByProvider(word: string): string {
  return BY_PROVIDER[word] ?? "Your organisation’s account did not let you in. The log of Punctual has more.";
}
