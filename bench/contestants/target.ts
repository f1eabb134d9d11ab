// The server that deliveries go to, in a process of its own: it answers at once, and counts what came by its number.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  /** Milliseconds since 1970, of the first request. */
  firstAt: number;
  requests: number;
  lost: number;
  doubled: number;
  signed: number;
  /** A few calls as they came, so that their signatures can be verified when it is over. */
  samples: { headers: IncomingHttpHeaders; body: string }[];
}

const SAMPLE_EVERY = 500;

let counts = new Uint8Array(0);
let requests = 0;
let signed = 0;
let firstAt = 0;
const samples: Seen["samples"] = [];
const first = Promise.withResolvers<void>();
const all = Promise.withResolvers<void>();

/** Expects items numbered from 0. Returns the URL. */
export async function start({ count }: { count: number }): Promise<string> {
  counts = new Uint8Array(count);
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      seen(request.headers, body);
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

export async function firstCame(): Promise<void> {
  await first.promise;
}

export async function allCame(): Promise<void> {
  await all.promise;
}

export function whatWasSeen(): Seen {
  let lost = 0;
  let doubled = 0;
  for (const count of counts) {
    if (count === 0) lost++;
    if (count > 1) doubled++;
  }
  return { firstAt, requests, lost, doubled, signed, samples };
}

function seen(headers: IncomingHttpHeaders, body: string): void {
  if (firstAt === 0) {
    firstAt = Date.now();
    first.resolve();
  }
  const { id } = JSON.parse(body) as { id: number };
  counts[id]!++;
  if (headers["webhook-signature"] !== undefined) signed++;
  if (requests % SAMPLE_EVERY === 0) samples.push({ headers, body });
  if (++requests === counts.length) all.resolve();
}
