import { z } from "zod";
import { type Call, type Route, route } from "../route.ts";

/** Something to call that always answers, so that a first job succeeds without a network. Only `dev` has it. */
export function devEchoRoutes(): Route[] {
  return (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map((method) =>
    route({
      method,
      path: "/dev/echo",
      permission: "open",
      group: "Development",
      summary: "Answers with what it was sent",
      query: z.record(z.string(), z.unknown()),
      ...(method === "GET" ? {} : { body: z.unknown() }),
      responses: { 200: { description: "The request.", schema: z.record(z.string(), z.unknown()) } },
      handler: ({ method, headers, query, body }: Call<unknown, Record<string, unknown>, unknown>) => ({
        status: 200,
        body: { method, headers, query, body },
      }),
    }),
  );
}
