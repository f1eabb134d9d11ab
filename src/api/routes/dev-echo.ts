import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { number } from "../../contract/parameters.ts";
import { type Answer, type Call, type Route, route } from "../route.ts";

const DELAY_MS_MAX = 60_000;

const echoQuery = z.looseObject({
  delayMs: number({ min: 0, max: DELAY_MS_MAX, preset: 0 }).describe("wait before answering"),
  status: number({ min: 200, max: 599, preset: 200 }).describe("answer with this status"),
  untilAttempt: number({ min: 1, max: 100, preset: 100 }).describe("with 200 from this attempt on"),
});

/** Something to call that always answers, so that a first job succeeds without a network. Only `dev` has it. */
export function devEchoRoutes(): Route[] {
  return (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map((method) =>
    route({
      method,
      path: "/dev/echo",
      group: "Development",
      summary: "Answers with what it was sent, or as it was told to",
      query: echoQuery,
      ...(method === "GET" ? {} : { body: z.unknown() }),
      responses: { 200: { description: "The request.", schema: z.record(z.string(), z.unknown()) } },
      handler: echo,
    }),
  );
}

async function echo(call: Call<unknown, z.infer<typeof echoQuery>, unknown>): Promise<Answer> {
  const { method, headers, body, signal } = call;
  const { delayMs, status, untilAttempt, ...query } = call.query;
  // Whoever does not wait for the answer need not get one.
  if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {});
  const attempt = Number(headers["punctual-attempt"] ?? 1);
  return { status: attempt < untilAttempt ? status : 200, body: { method, headers, query, body } };
}
