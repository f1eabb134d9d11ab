// Compiles src/ into dist/, puts what is no TypeScript beside the code that uses it, and builds the dashboard into dist/web.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
run("typescript/bin/tsc", "-p", `${root}tsconfig.build.json`);
cpSync(`${root}src/store/postgres/migrations`, `${root}dist/store/postgres/migrations`, { recursive: true });
run("vite/bin/vite.js", "build", "--config", `${root}web/vite.config.ts`, "--logLevel", "warn");
pack(`${root}dist/web`);

function run(program, ...args) {
  const { status } = spawnSync(process.execPath, [`${root}node_modules/${program}`, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Packed once here, and not at each request. */
function pack(folder) {
  for (const name of readdirSync(folder, { recursive: true }).filter((each) => /\.(html|css|js|svg)$/.test(each))) {
    const plain = readFileSync(`${folder}/${name}`);
    writeFileSync(`${folder}/${name}.gz`, gzipSync(plain, { level: 9 }));
    writeFileSync(`${folder}/${name}.br`, brotliCompressSync(plain));
  }
}
