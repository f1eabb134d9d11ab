import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";

interface Received {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
  /** TLS took up an earlier session. */
  isResumed: boolean;
}

export interface TestServer {
  url: string;
  port: number;
  /** Whole requests, in the order of their arrival. */
  received: Received[];
  /** Connections accepted so far. */
  connections: number;
}

type Answer = (request: Received, response: http.ServerResponse) => void;

const ok: Answer = (_, response) => response.end("ok");

/** A well-behaved server that notes what it gets; gone when the test is over. */
export async function httpServer(
  answer: Answer = ok,
  options: { tls?: { key: string; cert: string }; host?: string } = {},
): Promise<TestServer> {
  const listener: http.RequestListener = async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method, url, headers, rawHeaders } = request;
    const isResumed = request.socket instanceof TLSSocket && request.socket.isSessionReused();
    const received = { method: method!, url: url!, headers, rawHeaders, body, isResumed };
    state.received.push(received);
    answer(received, response);
  };
  const server = options.tls ? https.createServer(options.tls, listener) : http.createServer(listener);
  const state = await listen(server, options.tls ? "https" : "http", options.host ?? "127.0.0.1");
  return state;
}

/** A server that speaks in bytes, for everything no decent server does. */
export async function rawServer(onConnection: (socket: net.Socket) => void): Promise<TestServer> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });
  return listen(server, "http", "127.0.0.1");
}

/** A raw server that writes the given bytes once the first bytes of a request are there. */
export function answeringBytes(bytes: string | Buffer, then: "keep" | "end" | "reset" = "keep"): Promise<TestServer> {
  return rawServer((socket) => {
    socket.on("data", () => {
      socket.write(bytes, () => {
        if (then === "end") socket.end();
        if (then === "reset") socket.resetAndDestroy();
      });
    });
  });
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function listen(server: net.Server, scheme: string, host: string): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket) => {
    state.connections += 1;
    sockets.add(socket);
  });
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const state: TestServer = {
    url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    received: [],
    connections: 0,
  };
  return state;
}
