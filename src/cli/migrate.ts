import type { Settings } from "../contract/settings.ts";
import { migrateDatabase } from "../main.ts";
import type { Output } from "./output/output.ts";

/** `punctual migrate`: brings the database's schema up to this version. */
export async function migrate(out: Output, settings: Settings): Promise<number> {
  const applied = await migrateDatabase(settings.databaseUrl!);
  out.show({ applied }, () => {
    const end = applied.length === 0 ? "The database is up to date." : "The database is now up to date.";
    return [...applied.map((name) => `applied ${name}`), end].join("\n");
  });
  return 0;
}
