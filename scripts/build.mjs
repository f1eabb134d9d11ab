// Compiles src/ into dist/ and puts what is no TypeScript beside the code that uses it: migrations, and the first page.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const tsc = spawnSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, "-p", `${root}tsconfig.build.json`],
  {
    stdio: "inherit",
  },
);
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
cpSync(`${root}src/store/postgres/migrations`, `${root}dist/store/postgres/migrations`, { recursive: true });
cpSync(`${root}src/api/page`, `${root}dist/api/page`, {
  recursive: true,
  filter: (path) => !path.endsWith("tsconfig.json"),
});
