// A program that changes its mind while it starts. Nothing ends it: it has to end by itself.
import { Punctual } from "../../src/library/index.ts";

const punctual = new Punctual({ app: "shop", release: "1", database: process.argv[2]! });
punctual.job("cleanup", { schedule: { every: "1s" } }, () => {});
const starting = punctual.start().catch((error: Error) => process.stdout.write(`${error.message}\n`));
await punctual.stop();
await starting;
