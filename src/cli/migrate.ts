import type { Settings } from "../contract/settings.ts";
import { migrateDatabase } from "../main.ts";

/** `punctual migrate`: brings the database's schema up to this version. */
export async function migrate(settings: Settings): Promise<number> {
  const applied = await migrateDatabase(settings.databaseUrl!);
  for (const name of applied) process.stdout.write(`applied ${name}\n`);
  process.stdout.write(applied.length === 0 ? "The database is up to date.\n" : "The database is now up to date.\n");
  return 0;
}
