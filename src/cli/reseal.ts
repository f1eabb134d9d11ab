import type { Settings } from "../contract/settings.ts";
import { checkDatabase, resealDatabase } from "../main.ts";
import { EXIT } from "./exit-code.ts";
import { ExpectedError } from "./expected-error.ts";
import type { Output } from "./output/output.ts";

type Resealing = Awaited<ReturnType<typeof resealDatabase>>;

/** `punctual reseal`: seals everything with the first encryption key, so that the others can be given up. */
export async function reseal(out: Output, settings: Settings): Promise<number> {
  const url = settings.databaseUrl!;
  const { pendingMigrations } = await checkDatabase(url);
  if (pendingMigrations.length > 0)
    throw new ExpectedError("the database is not up to date; run: punctual migrate, then reseal again");
  const done = await resealDatabase(url, settings);
  out.show(done, () => inWords(done).join("\n"));
  return done.unreadable.length + done.overtaken === 0 ? EXIT.done : EXIT.failed;
}

function inWords({ keyId, secrets, signingKeys, unreadable, overtaken }: Resealing): string[] {
  const counts = `${counted(secrets, "secret")} and ${counted(signingKeys, "signing key")}`;
  return [
    `Resealed ${counts} with the key ${keyId}, the first of PUNCTUAL_ENCRYPTION_KEYS.`,
    ...unreadable.map(({ what, project, name }) => `cannot be opened: the ${what} ${name} of the project ${project}`),
    ...(overtaken === 0 ? [] : [`${counted(overtaken, "value")} changed meanwhile: ${OVERTAKEN}`]),
    unreadable.length + overtaken === 0
      ? "Nothing is sealed with another key: the old ones may now be removed from PUNCTUAL_ENCRYPTION_KEYS."
      : "Keep the old keys in PUNCTUAL_ENCRYPTION_KEYS.",
  ];
}

const OVERTAKEN = "some node still seals with an old key; put the new one first on all of them, and run this again";

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
