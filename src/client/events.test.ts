import { afterEach, describe, expect, test, vi } from "vitest";
import { PunctualClient } from "./client.ts";
import type { StreamedEvent, StreamReset } from "./events.ts";
import {
  events,
  hangUp,
  json,
  refusal,
  type ScriptedServer,
  type Step,
  silence,
  startScripted,
} from "./testing/scripted-server.ts";

let server: ScriptedServer;
afterEach(async () => await server.close());

async function clientOf(...steps: Step[]): Promise<PunctualClient> {
  server = await startScripted(...steps);
  return new PunctualClient({ url: server.url, key: "k" });
}

function told(id: string, type = "job.created"): string {
  const event = { type, timestamp: "2026-01-01T00:00:00.000Z", projectId: "p", data: { jobId: "j" } };
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function take(
  stream: AsyncIterable<StreamedEvent | StreamReset>,
  count: number,
): Promise<(StreamedEvent | StreamReset)[]> {
  const taken: (StreamedEvent | StreamReset)[] = [];
  for await (const event of stream) if (taken.push(event) === count) break;
  return taken;
}

describe("a stream of events", () => {
  test("names what is wanted and gives each event with its id", async () => {
    const client = await clientOf(events(told("1"), { open: true }));
    const [event] = await take(client.events.stream({ types: ["job.created", "job.deleted"], jobId: "j" }), 1);
    expect(event).toMatchObject({ type: "job.created", id: "1", data: { jobId: "j" } });
    expect(server.asked[0]).toMatchObject({
      url: "/api/v1/events?types=job.created%2Cjob.deleted&jobId=j",
      headers: { accept: "text/event-stream", authorization: "Bearer k" },
    });
  });

  test("is taken up after the last event when the connection breaks, however often", async () => {
    const client = await clientOf(
      events(`retry: 1\n\n${told("1")}${told("2")}`),
      hangUp,
      refusal(503, "unavailable"),
      events(`retry: 1\n\n${told("3")}`),
      events(told("4"), { open: true }),
    );
    const connected: boolean[] = [];
    const onConnection = (state: boolean) => connected.push(state);
    const taken = await take(client.events.stream({ onConnection }), 4);
    expect(taken.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
    // Whoever shows something knows when it may be old.
    expect(connected).toEqual([true, false, false, false, true, false, true]);
    const lastIds = server.asked.map(({ headers }) => headers["last-event-id"]);
    expect(lastIds).toEqual([undefined, "2", "2", "2", "3"]);
  });

  test("can be taken up where an earlier one ended", async () => {
    const client = await clientOf(events(told("8"), { open: true }));
    await take(client.events.stream({ lastEventId: "7" }), 1);
    expect(server.asked[0]!.headers["last-event-id"]).toBe("7");
  });

  test("says when events were missed", async () => {
    const client = await clientOf(events(`${told("1")}event: reset\ndata: {}\n\n`, { open: true }));
    expect((await take(client.events.stream(), 2))[1]).toEqual({ type: "reset", id: "1" });
  });

  test("fails if the server refuses it, first or later", async () => {
    const client = await clientOf(refusal(403, "forbidden"));
    await expect(take(client.events.stream(), 1)).rejects.toMatchObject({ code: "forbidden" });
    await server.close();
    const later = await clientOf(events(told("1")), refusal(401, "unauthenticated"));
    await expect(take(later.events.stream(), 2)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("fails if what answers is no stream", async () => {
    const client = await clientOf(json(200, {}));
    await expect(take(client.events.stream(), 1)).rejects.toMatchObject({ code: "unexpected_answer" });
  });

  test("fails if there is no server, after as many tries as any call", async () => {
    const client = await clientOf(hangUp);
    await expect(take(client.events.stream(), 1)).rejects.toThrow("got no answer");
    expect(server.asked).toHaveLength(4);
  });

  test.each([
    ["while it is silent", events("", { open: true })],
    ["between two connections", events(told("1"))],
    ["before there is an answer", () => {}],
  ])("ends without an error when its signal is aborted %s", async (_, step: Step) => {
    const client = await clientOf(step);
    const controller = new AbortController();
    const ended = (async () => {
      for await (const _event of client.events.stream({ signal: controller.signal }));
      return "ended";
    })();
    await vi.waitUntil(() => server.asked.length > 0);
    controller.abort();
    expect(await ended).toBe("ended");
  });

  test("closes its connection when nobody listens any more", async () => {
    let closed = false;
    const client = await clientOf((response, asked) => {
      response.once("close", () => {
        closed = true;
      });
      events(told("1"), { open: true })(response, asked);
    });
    await take(client.events.stream(), 1);
    await vi.waitUntil(() => closed, { timeout: 10_000 });
  });
});

describe("waiting for an execution", () => {
  const execution = (state: string) => json(200, { id: "e", jobName: "report", state });

  /** Answers the stream with events, and the execution with one state after the other. */
  function answering(stream: Step, ...states: string[]): Step {
    let looks = 0;
    return (response, asked) => {
      if (asked.url.startsWith("/api/v1/events")) stream(response, asked);
      else execution(states[Math.min(looks++, states.length - 1)]!)(response, asked);
    };
  }

  test.each([["succeeded"], ["failed"], ["cancelled"], ["skipped"], ["unknown"]])(
    "gives it once it is %s",
    async (state) => {
      const client = await clientOf(answering(events("", { open: true }), state));
      expect(await client.executions.waitFor("e")).toMatchObject({ state });
    },
  );

  test("looks again at once when something happened to it", async () => {
    let tell = () => {};
    const stream: Step = (response, asked) => {
      events("", { open: true })(response, asked);
      tell = () => response.write(told("1", "execution.succeeded"));
    };
    const client = await clientOf(answering(stream, "running", "running", "succeeded"));
    const looks = () => server.asked.filter(({ url }) => url === "/api/v1/executions/e").length;
    const waiting = client.executions.waitFor("e");
    // The first two looks come by themselves or by the hint; each hint leads to a look.
    await vi.waitUntil(() => looks() >= 1 && server.asked.some(({ url }) => url.includes("executionId=e")));
    tell();
    await vi.waitUntil(() => looks() >= 2);
    tell();
    expect(await waiting).toMatchObject({ state: "succeeded" });
  });

  test("does without events where they cannot be had", async () => {
    const client = await clientOf(answering(refusal(403, "forbidden"), "running", "succeeded"));
    expect(await client.executions.waitFor("e")).toMatchObject({ state: "succeeded" });
  });

  test("goes on when the server is away for a moment, once it has been seen", async () => {
    let looks = 0;
    const client = await clientOf((response, asked) => {
      if (asked.url.startsWith("/api/v1/events")) return refusal(403, "forbidden")(response, asked);
      looks += 1;
      if (looks === 1) execution("running")(response, asked);
      else if (looks <= 6) hangUp(response, asked);
      else execution("succeeded")(response, asked);
    });
    expect(await client.executions.waitFor("e")).toMatchObject({ state: "succeeded" });
  });

  test("ends when its time is over, and says how far the execution is", async () => {
    const client = await clientOf(answering(events("", { open: true }), "retrying"));
    await expect(client.executions.waitFor("e", { timeoutMs: 50 })).rejects.toMatchObject({
      name: "WaitTimeoutError",
      message: 'the execution e of "report" is still retrying after 50 ms',
      execution: { state: "retrying" },
    });
  });

  test("ends when its time is over although the server does not answer any more", async () => {
    let looks = 0;
    const client = await clientOf((response, asked) => {
      if (asked.url.startsWith("/api/v1/events")) return refusal(403, "forbidden")(response, asked);
      looks += 1;
      return looks === 1 ? execution("running")(response, asked) : silence(response, asked);
    });
    const waiting = client.executions.waitFor("e", { timeoutMs: 1_000 });
    await expect(waiting).rejects.toMatchObject({ name: "WaitTimeoutError", execution: { state: "running" } });
  });

  test("ends when its time is over although the server never answered", async () => {
    const client = await clientOf(silence);
    await expect(client.executions.waitFor("e", { timeoutMs: 50 })).rejects.toMatchObject({
      name: "PunctualConnectionError",
      message: "waiting for the execution e got no answer: none came within 50 ms",
    });
  });

  test("ends when the caller gives up, with the signal's reason", async () => {
    const client = await clientOf(answering(events("", { open: true }), "running"));
    const controller = new AbortController();
    const waiting = client.executions.waitFor("e", { signal: controller.signal });
    await vi.waitUntil(() => server.asked.some(({ url }) => url === "/api/v1/executions/e"));
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  test("fails if there is no such execution", async () => {
    const client = await clientOf((response, asked) =>
      asked.url.startsWith("/api/v1/events")
        ? events("", { open: true })(response, asked)
        : refusal(404, "not_found")(response, asked),
    );
    await expect(client.executions.waitFor("e")).rejects.toMatchObject({ code: "not_found" });
  });
});
