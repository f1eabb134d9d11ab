// The product as it is shipped: what runs is dist/, its types are those of src/, so that types can be checked without a build.
// (Its name cannot be used here: this folder is a package of its own.)

import type * as Client from "../../src/client/index.ts";
import type * as Settings from "../../src/contract/read-settings.ts";
import type * as Library from "../../src/library/index.ts";
import type * as Main from "../../src/main.ts";

const built = async (file: string): Promise<unknown> =>
  await import(new URL(`../../dist/${file}`, import.meta.url).href);

export const { Punctual, NoRetry } = (await built("library/index.js")) as typeof Library;
export const { PunctualClient, Worker, verifyWebhook } = (await built("client/index.js")) as typeof Client;
export const { startNode, startEmbedded, createLog } = (await built("main.js")) as typeof Main;
export const { readSettings } = (await built("contract/read-settings.js")) as typeof Settings;
