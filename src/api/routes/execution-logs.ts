import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { logLineSchema } from "../../contract/log.ts";
import { logCursor, logQuery, readLogPosition } from "../../contract/log-query.ts";
import { pageSchema } from "../../contract/page.ts";
import { uuid } from "../../contract/parameters.ts";
import type { LogFollowers } from "../log-followers.ts";
import { type Answer, type Call, PREFIX, type Route, route, type Takeover } from "../route.ts";

const params = z.object({ id: uuid });
const EVENTS = "text/event-stream";

type LogCall = Call<z.infer<typeof params>, z.infer<typeof logQuery>>;

export function executionLogRoutes(followers: LogFollowers): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/executions/:id/logs`,
      group: "Executions",
      summary: `Read what an execution said, oldest first; with accept: ${EVENTS} follow it as it runs`,
      params,
      query: logQuery,
      streams: true,
      responses: {
        200: {
          description:
            "A page of lines. nextCursor is null when there were no more at the moment; an execution that runs may add some.",
          schema: pageSchema(logLineSchema),
        },
      },
      handler: async (call) =>
        call.headers.accept?.includes(EVENTS) ? await follow(call, followers) : await readPage(call),
    }),
  ];
}

async function readPage({ params: { id }, query, store, principal }: LogCall): Promise<Answer> {
  const { projectId } = principal;
  const page = { after: query.cursor ?? query.after ?? null, level: query.level, limit: query.limit };
  const found = await store.logs.read(projectId, id, page);
  if (found === null) throw noExecution(id);
  const last = found.lines.at(-1);
  const isFull = last !== undefined && found.lines.length === query.limit;
  return { status: 200, body: { items: found.lines, nextCursor: isFull ? logCursor(last) : null } };
}

async function follow(
  { params: { id }, query, store, headers, method, principal }: LogCall,
  followers: LogFollowers,
): Promise<Answer | Takeover> {
  const { projectId } = principal;
  const { level } = query;
  const after = lastSeen(headers["last-event-id"]) ?? query.cursor ?? query.after ?? null;
  if ((await store.logs.read(projectId, id, { after, level, limit: 1 })) === null) throw noExecution(id);
  if (!followers.hasRoomFor(projectId))
    throw new PunctualError(
      "unavailable",
      "this node has as many followers as it can serve; try again or another node",
    );
  if (method === "HEAD") return { status: 200, headers: { "content-type": EVENTS } };
  return { takeOver: (reply) => followers.add(reply, { projectId, executionId: id, after, level }) };
}

/** A client that lost the stream names the last line it saw. */
function lastSeen(header: string | string[] | undefined) {
  if (header === undefined || header === "") return null;
  const position = typeof header === "string" ? readLogPosition(header) : null;
  if (position !== null) return position;
  const message = 'is no id of a line, such as "1.200"; leave it out to start at the beginning';
  throw PunctualError.validation([{ path: "last-event-id", code: "invalid", message, value: String(header) }]);
}

function noExecution(id: string): PunctualError {
  return new PunctualError("not_found", `there is no execution "${id}"`);
}
