import type { FastifyReply } from "fastify";
import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { eventQuery } from "../../contract/event-query.ts";
import type { PunctualEvent } from "../../contract/events.ts";
import { hasRoom } from "../../core/fair-room.ts";
import type { ApiDeps, ApiOptions } from "../deps.ts";
import { EventStream, type Listener } from "../event-stream.ts";
import type { Principal } from "../principal.ts";
import { type Answer, type Call, PREFIX, type Route, route, type Takeover } from "../route.ts";
import { beginEvents } from "../server-sent-events.ts";

type Query = z.infer<typeof eventQuery>;

export class EventRoutes {
  readonly #deps: ApiDeps;
  readonly #options: ApiOptions;
  readonly #streams = new Map<EventStream, { projectId: string }>();

  constructor(deps: ApiDeps, options: ApiOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  routes(): Route[] {
    return [
      route({
        method: "GET",
        path: `${PREFIX}/events`,
        group: "Events",
        summary: "What happens, as it happens (server-sent events; resume with Last-Event-ID)",
        query: eventQuery,
        streams: true,
        responses: {
          200: { description: "A stream of events.", contentType: "text/event-stream", schema: z.string() },
        },
        handler: (call) => this.#listen(call),
      }),
    ];
  }

  /** Streams would keep a server that closes open for ever. */
  endAll(): void {
    for (const stream of this.#streams.keys()) stream.end();
  }

  #listen({ query, headers, method, principal }: Call<unknown, Query>): Answer | Takeover {
    const { projectId } = principal;
    if (!hasRoom(projectId, this.#streams.values(), this.#options.eventStreamsMax))
      throw new PunctualError(
        "unavailable",
        `this node has as many listeners as it can serve (${this.#streams.size}); try again or another node`,
      );
    if (method === "HEAD") return { status: 200, headers: { "content-type": "text/event-stream" } };
    const after = headers["last-event-id"];
    const listener: Listener = {
      wants: (event) => wants(event, query, principal),
      after: typeof after === "string" && after !== "" ? after : null,
      pingMs: this.#options.pingMs,
    };
    return { takeOver: (reply) => this.#stream(reply, projectId, listener) };
  }

  #stream(reply: FastifyReply, projectId: string, listener: Listener): void {
    const stream = new EventStream(beginEvents(reply, this.#options.timeouts), listener);
    this.#streams.set(stream, { projectId });
    reply.raw.once("close", () => this.#streams.delete(stream));
    stream.start(this.#deps.store.events);
  }
}

function wants(event: PunctualEvent, { types, jobId, executionId }: Query, principal: Principal): boolean {
  const mine = event.projectId === null ? principal.instanceAdmin : event.projectId === principal.projectId;
  if (!mine) return false;
  if (types !== undefined && !types.includes(event.type)) return false;
  if (jobId !== undefined && !jobId.includes(event.data.jobId ?? "")) return false;
  return executionId === undefined || executionId.includes(event.data.executionId ?? "");
}
