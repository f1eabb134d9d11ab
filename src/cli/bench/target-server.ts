// The process that LocalTarget starts: it answers every request with 200, tells its parent the port, and ends with it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => response.end("ok"));
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));
// Ctrl-C goes to the whole group; the parent decides when it is over.
process.on("SIGINT", () => {});
