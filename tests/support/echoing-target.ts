// A target that gives back what it was sent, in every way that real ones do: whole, escaped, encoded, in headers, halfway.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Seen {
  headers: Record<string, string>;
  url: string;
  decoded: string;
  body: string;
}

/** How it answers, by the first part of the path. */
const ANSWERS: Record<string, (seen: Seen, response: ServerResponse) => void> = {
  json: (seen, response) => json(response, 200, JSON.stringify(seen)),
  ascii: (seen, response) => json(response, 200, JSON.stringify(seen).replace(/[\u007f-\uffff]/g, escaped)),
  "html-json": (seen, response) => json(response, 200, JSON.stringify(seen).replace(/[<>&']/g, escaped)),
  slashes: (seen, response) => json(response, 200, JSON.stringify(seen).replaceAll("/", "\\/")),
  "every-letter": (seen, response) =>
    json(
      response,
      200,
      `{"url":"${[...seen.decoded].map((c) => [...Array(c.length)].map((_, i) => escaped(c[i]!)).join("")).join("")}"}`,
    ),
  text: (seen, response) =>
    text(response, 200, [...Object.values(seen.headers), seen.url, seen.decoded, seen.body].join("\n")),
  html: (seen, response) => text(response, 500, allOf(seen).map(html).join("<br>")),
  form: (seen, response) =>
    text(response, 200, new URLSearchParams(Object.fromEntries(allOf(seen).entries())).toString()),
  base64: (seen, response) =>
    text(
      response,
      200,
      allOf(seen)
        .flatMap((value) => shifted(value, "base64"))
        .join("\n"),
    ),
  base64url: (seen, response) =>
    text(
      response,
      200,
      allOf(seen)
        .flatMap((value) => shifted(value, "base64url"))
        .join("\n"),
    ),
  hex: (seen, response) =>
    text(
      response,
      400,
      allOf(seen)
        .map((value) => Buffer.from(value).toString("hex"))
        .join("\n"),
    ),
  fail: (seen, response) => json(response, 503, JSON.stringify(seen)),
  redirect: (seen, response) => {
    const location = `http://elsewhere.example${seen.url}&${Object.entries(seen.headers)
      .filter(([name]) => name.startsWith("x-"))
      .map(([, value]) => value)
      .join("&")}`;
    response.writeHead(302, { location: Buffer.from(location).toString("latin1") }).end(location);
  },
  challenge: (seen, response) => {
    const realm = Object.entries(seen.headers)
      .filter(([name]) => name.startsWith("x-"))
      .map(([, value]) => value)
      .join(" ");
    response
      .writeHead(401, { "www-authenticate": `Basic realm=${realm}`, "x-request-id": realm, etag: realm })
      .end("no");
  },
  // The body is kept up to a limit: here it is reached in the middle of a secret, wherever exactly that is.
  cut: (seen, response) => text(response, 200, `${".".repeat(16_384 - 30)}${seen.body.repeat(4)}`),
  halfway: (seen, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000000" });
    response.write(JSON.stringify(seen), () => response.destroy());
  },
  nonsense: (seen, response) => response.socket!.end(`HTTP/1.1 ${seen.body} ${seen.url}\r\n${seen.body}\r\n\r\n`),
  close: (_, response) => response.destroy(),
  accepted: (seen, response) => json(response, 202, JSON.stringify(seen)),
  hang: () => {},
};

export interface EchoingTarget {
  url: string;
  seen: Seen[];
}

export async function startEchoingTarget(): Promise<EchoingTarget> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const one = await read(request);
    seen.push(one);
    ANSWERS[one.url.split(/[/?]/)[1]!]!(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function read(request: IncomingMessage): Promise<Seen> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  const url = request.url!;
  return { headers: request.headers as Record<string, string>, url, decoded: decodeURIComponent(url), body };
}

/** Every single value, as who parses the request would see it. */
function allOf({ headers, url, body }: Seen): string[] {
  const { pathname, searchParams } = new URL(url, "http://t");
  const members = body.startsWith("{") ? (Object.values(JSON.parse(body)) as string[]) : [body];
  const parts = pathname.split("/").map(decodeURIComponent);
  return [...Object.values(headers), ...parts, ...searchParams.values(), ...members];
}

/** By itself, and behind one, two and three letters. */
function shifted(value: string, encoding: "base64" | "base64url"): string[] {
  return ["", "a", "ab", "abc"].map((before) => Buffer.from(`${before}${value}z`).toString(encoding));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function html(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function json(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function text(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(body);
}
