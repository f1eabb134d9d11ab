// One throw-away cluster for the whole test run. It is only promised here: the first test that asks for a database starts
// it (database.ts), so that a run without one costs nothing. This process holds the pipe of its folder from the beginning,
// hence the server lives until the run is over, and not a moment longer should the run be killed.
//
// Vitest calls this once per project; the folder is made for the first call and removed after the last.
import { closeSync, constants, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startEmbedded } from "../../src/store/embedded/embedded.ts";
import { makePipe } from "../../src/store/embedded/keeper.ts";
import { readPostmaster } from "../../src/store/embedded/postmaster.ts";
import { chooseServerUser } from "../../src/store/embedded/server-user.ts";
import { makeTestFolder, sweepTestFolders, TEST_DATA_DIR } from "./database.ts";

interface Run {
  dataDir: string;
  hold: number;
  projects: number;
}

const RUN = Symbol.for("punctual.test-run");
const shared = globalThis as { [RUN]?: Run };

export function setup(): () => Promise<void> {
  shared[RUN] ??= beginRun();
  shared[RUN].projects++;
  return async () => {
    const run = shared[RUN];
    if (!run || --run.projects > 0) return;
    delete shared[RUN];
    await endRun(run);
  };
}

function beginRun(): Run {
  sweepTestFolders();
  const dataDir = join(makeTestFolder(), "data");
  mkdirSync(dataDir, { mode: 0o755 });
  const inUse = join(dataDir, "in-use");
  makePipe(inUse, chooseServerUser(join(dataDir, "postgres")));
  process.env[TEST_DATA_DIR] = dataDir;
  // Reading and writing, since there is no keeper yet to read.
  return { dataDir, hold: openSync(inUse, constants.O_RDWR | constants.O_NONBLOCK), projects: 0 };
}

async function endRun({ dataDir, hold }: Run): Promise<void> {
  if (readPostmaster(join(dataDir, "postgres"))) {
    const database = await startEmbedded({ dataDir });
    closeSync(hold);
    await database.stop();
  }
  rmSync(join(dataDir, ".."), { recursive: true, force: true, maxRetries: 10 });
}
