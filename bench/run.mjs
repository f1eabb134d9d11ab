// npm run bench -- [--only noop,http | --only growth-jobs,growth-queue | --only profiles] [--rounds 5] [--quick] [--out folder]
//
// Builds the product, installs the peers if they are not there, and measures with the Node that comes with them: peers need a
// newer one than the product does, and all are to run on the same.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bench = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const node = `${bench}node_modules/.bin/node`;

if (!existsSync(node)) run("npm", ["ci", "--no-progress"], bench);
run(process.execPath, [`${root}scripts/build.mjs`]);
// What happens as things grow is measured in another way than what is compared: --only growth-jobs.
const growth = process.argv.some((word) => /^(--only=)?growth-/.test(word));
const profiles = process.argv.some((word) => /^(--only=)?profiles$/.test(word));
run(node, [`${bench}${profiles ? "profiles.ts" : growth ? "growth/main.ts" : "main.ts"}`, ...process.argv.slice(2)]);

function run(program, given, cwd = root) {
  const { status, error } = spawnSync(program, given, { stdio: "inherit", cwd });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
