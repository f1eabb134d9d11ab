import { afterEach, describe, expect, test } from "vitest";
import { PunctualClient } from "./client.ts";
import { PunctualConnectionError } from "./errors.ts";
import { json, refusal, type ScriptedServer, type Step, startScripted } from "./testing/scripted-server.ts";

let server: ScriptedServer;
afterEach(async () => await server.close());

async function clientOf(...steps: Step[]): Promise<PunctualClient> {
  server = await startScripted(...steps);
  return new PunctualClient({ url: server.url, key: "k" });
}

/** What is sent in these pieces, each when the one before is on its way. */
function lines(pieces: readonly (string | Buffer)[], end: "whole" | "cut" | "open" = "whole"): Step {
  return async (response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    for (const piece of pieces) await new Promise((sent) => response.write(piece, sent));
    if (end === "whole") response.end();
    if (end === "cut") response.destroy();
  };
}

async function read(entries: AsyncIterable<{ id: string }>, seen: string[] = []): Promise<string[]> {
  for await (const { id } of entries) seen.push(id);
  return seen;
}

describe("an export of the audit", () => {
  test("is one call for lines, and gives each line, however they are split", async () => {
    const umlaut = Buffer.from('{"id":"ä"}\n');
    const pieces = ['{"id":"1"}\n{"id"', ':"2"}', "\n", umlaut.subarray(0, 8), umlaut.subarray(8)];
    const client = await clientOf(lines(pieces));
    expect(await read(client.audit.export({ action: ["job", "member.add"], from: new Date(0) }))).toEqual([
      "1",
      "2",
      "ä",
    ]);
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]).toMatchObject({
      url: "/api/v1/audit?action=job%2Cmember.add&from=1970-01-01T00%3A00%3A00.000Z",
      headers: { accept: "application/x-ndjson", authorization: "Bearer k" },
    });
  });

  test.each([
    ["the connection breaks", lines(['{"id":"1"}\n'], "cut")],
    ["it ends within a line", lines(['{"id":"1"}\n{"id":'])],
    ["a line is no JSON", lines(['{"id":"1"}\n<html>\n'])],
  ])("fails if %s: half of it must not look like the whole", async (_, step) => {
    const client = await clientOf(step);
    const seen: string[] = [];
    await expect(read(client.audit.export(), seen)).rejects.toBeInstanceOf(PunctualConnectionError);
    expect(seen).toEqual(["1"]);
    expect(server.asked).toHaveLength(1);
  });

  test("throws the reason of a signal that is aborted, while it waits and between two lines of one piece", async () => {
    for (const pieces of [['{"id":"1"}\n'], ['{"id":"1"}\n{"id":"2"}\n']]) {
      const client = await clientOf(lines(pieces, "open"));
      const controller = new AbortController();
      const entries = client.audit.export({}, { signal: controller.signal });
      expect((await entries.next()).value).toEqual({ id: "1" });
      const next = entries.next.bind(entries);
      const reason = new Error("enough");
      if (pieces[0]!.includes("2")) controller.abort(reason);
      const ended = next();
      controller.abort(reason);
      await expect(ended).rejects.toBe(reason);
      await server.close();
    }
  });

  test("is refused like any call", async () => {
    const client = await clientOf(refusal(403, "forbidden"), json(200, { items: [] }));
    await expect(read(client.audit.export())).rejects.toMatchObject({ code: "forbidden" });
    await expect(read(client.audit.export())).rejects.toMatchObject({ code: "unexpected_answer" });
  });
});
