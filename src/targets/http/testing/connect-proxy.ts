import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ConnectProxy {
  url: string;
  port: number;
  /** The authorities that tunnels were asked for, in order. */
  asked: string[];
  headers: http.IncomingHttpHeaders[];
}

export interface ConnectProxyOptions {
  tls?: { key: string; cert: string };
  /** What it does with a tunnel to this host: a status to refuse it with, or nothing at all, or bytes of its own. */
  refuse?: (host: string) => number | "stay silent" | string | null;
}

/** A proxy that knows CONNECT and nothing else. Every name leads to 127.0.0.1. Gone when the test is over. */
export async function connectProxy({ tls, refuse = () => null }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const server = tls ? https.createServer(tls) : http.createServer();
  const sockets = new Set<net.Socket>();
  const state: ConnectProxy = { url: "", port: 0, asked: [], headers: [] };
  server.on("connection", (socket: net.Socket) => sockets.add(socket));
  server.on("connect", (request: http.IncomingMessage, client: net.Socket) => {
    const { hostname, port } = new URL(`http://${request.url}`);
    state.asked.push(request.url!);
    state.headers.push(request.headers);
    client.on("error", () => {});
    const refusal = refuse(hostname);
    if (refusal === "stay silent") return;
    if (typeof refusal === "string") client.end(refusal);
    else if (refusal !== null) client.end(`HTTP/1.1 ${refusal} Told\r\ncontent-length: 6\r\n\r\nsecret`);
    else sockets.add(join(client, hostname, Number(port || 80)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  state.port = (server.address() as AddressInfo).port;
  state.url = `${tls ? "https" : "http"}://127.0.0.1:${state.port}`;
  return state;
}

function join(client: net.Socket, hostname: string, port: number): net.Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const target = net.connect({ host: net.isIP(host) === 0 ? "127.0.0.1" : host, port });
  target.on("connect", () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    client.pipe(target).pipe(client);
  });
  target.on("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  target.on("close", () => client.destroy());
  client.on("close", () => target.destroy());
  return target;
}
