// A server that answers at once, in a process of its own (support/program.ts): 500 to /fail, every second time to /flaky, 200 to
// all others.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let flaky = 0;
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.once("end", () => {
    const fails = request.url === "/fail" || (request.url === "/flaky" && flaky++ % 2 === 0);
    response.statusCode = fails ? 500 : 200;
    response.end("ok");
  });
});

export async function start(): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
