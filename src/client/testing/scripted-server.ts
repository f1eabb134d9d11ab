// A server that answers as it is told, one step after the other, and remembers what it was asked.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
  atMs: number;
}

/** What to do with a request: answer, or leave it. */
export type Step = (response: ServerResponse, asked: Asked) => void;

export interface ScriptedServer {
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

/** The last step is repeated for whatever comes after it. */
export async function startScripted(...steps: Step[]): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() };
    asked.push(one);
    steps[Math.min(asked.length, steps.length) - 1]!(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    response.end(JSON.stringify(body));
  };
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Step {
  return json(status, { error: { code, message: `it is ${code}`, details: [], requestId: "r-1" } }, headers);
}

/** The connection breaks before there is an answer. */
export const hangUp: Step = (response) => {
  response.destroy();
};

/** There never is an answer. */
export const silence: Step = () => {};

/** A stream of server-sent events that ends, or with `open` stays open. */
export function events(text: string, { open = false } = {}): Step {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text);
    if (!open) response.end();
  };
}
