// Every route takes JSON in UTF-8 and nothing else.
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiServer, ECHO, KEY, startApi } from "./api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
  await api.request("POST", "/jobs", { body: { name: "typed", target: ECHO } });
});
afterAll(async () => await api.close());

/** Sends exactly these headers and bytes, which fetch would not. */
async function send(
  line: string,
  headers: string[],
  body: string | Buffer = "{}",
): Promise<[status: number, code: string]> {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  const head = [`${line} HTTP/1.1`, "host: x", `authorization: Bearer ${KEY}`, "connection: close", ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(body);
  const text = (await socket.toArray()).join("");
  const [status] = /(?<=^HTTP\/1\.1 )\d{3}/.exec(text) ?? ["0"];
  const [code] = /(?<="error":\{"code":")\w+/.exec(text) ?? [""];
  return [Number(status), code];
}

const POST = "POST /api/v1/jobs/typed/trigger";
const LENGTH = "content-length: 2";
const REFUSED = [415, "unsupported_media_type"];

test.each([
  ["application/json"],
  ["application/json;charset=utf-8"],
  ['application/json; charset="UTF-8"'],
  ["APPLICATION/JSON ; CHARSET=utf8"],
])("%s is taken", async (type) => {
  expect(await send(POST, [`content-type: ${type}`, LENGTH])).toEqual([201, ""]);
});

test.each([
  ["UTF-16", ["content-type: application/json; charset=utf-16"]],
  ["Latin-1", ["content-type: application/json; charset=iso-8859-1"]],
  ["a charset named twice", ["content-type: application/json; charset=utf-8; charset=utf-16"]],
  ["an unknown parameter", ["content-type: application/json; version=1"]],
  ["a form", ["content-type: application/x-www-form-urlencoded"]],
  ["a form with files", ["content-type: multipart/form-data; boundary=x"]],
  ["plain text", ["content-type: text/plain"]],
  ["plain text that names JSON", ["content-type: text/plain; application/json"]],
  ["JSON of another kind", ["content-type: application/problem+json"]],
  ["a list of types", ["content-type: application/json, text/plain"]],
  ["what is no type", ["content-type: json"]],
  ["an empty type", ["content-type: "]],
  ["no type", []],
  ["the type twice", ["content-type: application/json", "content-type: application/json"]],
  ["JSON and then a form", ["content-type: application/json", "content-type: application/x-www-form-urlencoded"]],
  ["a compressed body", ["content-type: application/json", "content-encoding: gzip"]],
  ["a body compressed twice", ["content-type: application/json", "content-encoding: identity, br"]],
])("%s is a 415", async (_, headers) => {
  expect(await send(POST, [...headers, LENGTH])).toEqual(REFUSED);
});

test("a body without a type is a 415 also in pieces", async () => {
  expect(await send(POST, ["transfer-encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n")).toEqual(REFUSED);
});

test("compressed bytes that say nothing of it are no JSON", async () => {
  const bytes = gzipSync("{}");
  const headers = ["content-type: application/json", `content-length: ${bytes.length}`];
  expect(await send(POST, headers, bytes)).toEqual([400, "malformed_json"]);
});

test("two lengths, or a length beside pieces, are refused as what they are: two requests in one", async () => {
  const type = "content-type: application/json";
  expect((await send(POST, [type, LENGTH, "content-length: 3"]))[0]).toBe(400);
  expect((await send(POST, [type, LENGTH, "transfer-encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"))[0]).toBe(400);
});

test("the body of a GET is not looked at", async () => {
  for (const type of ["application/json", "text/plain"])
    expect(await send("GET /api/v1/jobs/typed", [`content-type: ${type}`, "content-length: 1"], "{")).toEqual([
      200,
      "",
    ]);
});

test("a DELETE takes what every route takes, and no more", async () => {
  const DELETE = "DELETE /api/v1/jobs/no-such-job";
  expect(await send(DELETE, ["content-type: text/plain", LENGTH])).toEqual(REFUSED);
  expect(await send(DELETE, [LENGTH])).toEqual(REFUSED);
  expect(await send(DELETE, ["content-type: application/json", LENGTH])).toEqual([404, "not_found"]);
});

test("nobody is told of types who has no key", async () => {
  const reply = await api.request("POST", "/jobs", { key: null, raw: "{}", headers: { "content-type": "text/plain" } });
  expect(reply.status).toBe(401);
});
