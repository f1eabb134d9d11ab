import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import {
  claimedSchema,
  claimSchema,
  handlerSchema,
  heartbeatAnswerSchema,
  heartbeatSchema,
  logsAcceptedSchema,
  registeredSchema,
  registrationSchema,
  settledSchema,
  settleSchema,
  type WorkerView,
  workerIdSchema,
  workerLogsSchema,
  workerSchema,
} from "../../contract/worker.ts";
import type { WorkerRecord } from "../../store/port/workers.ts";
import type { ApiDeps } from "../deps.ts";
import { type Answer, BULK_BODY_LIMIT, type Call, PREFIX, type Route, route } from "../route.ts";
import type { WorkerDesk, WorkerKey } from "../worker-desk.ts";

const params = z.object({ id: workerIdSchema });
type Params = z.infer<typeof params>;
const GROUP = "Workers";
const WORKER = { description: "The worker.", schema: workerSchema };

/** What workers say is about claims, which have tokens of their own: the same said twice has one effect, without a key. */
const OWN_REPEATS = "none";

export function workerRoutes({ workers: desk }: Pick<ApiDeps, "workers">): Route[] {
  return [...protocol(desk), ...overview()];
}

function protocol(desk: WorkerDesk): Route[] {
  return [
    route({
      method: "PUT",
      path: `${PREFIX}/workers/:id`,
      group: GROUP,
      summary: "Make a worker known, or change what it offers",
      // Whoever chooses a bad id is told so; there is nothing yet that could not be found.
      params: z.object({ id: z.string() }),
      body: registrationSchema,
      responses: {
        200: { description: "How long it is believed alive without a heartbeat.", schema: registeredSchema },
      },
      handler: async ({ params, body, principal }) => ({
        status: 200,
        body: await desk.register({ projectId: principal.projectId, id: chosenId(params.id) }, body),
      }),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/workers/:id/claim`,
      group: GROUP,
      summary: "Take executions for the worker's handlers; waits until there are some",
      params,
      body: claimSchema,
      idempotency: OWN_REPEATS,
      responses: { 200: { description: "Executions that the worker holds now.", schema: claimedSchema } },
      handler: (call) => claim(desk, call),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/workers/:id/heartbeat`,
      group: GROUP,
      summary: "Renew the worker's lease; learn what became of the executions it holds",
      params,
      body: heartbeatSchema,
      bodyLimit: BULK_BODY_LIMIT,
      idempotency: OWN_REPEATS,
      responses: { 200: { description: "What became of each, in the same order.", schema: heartbeatAnswerSchema } },
      handler: async (call) => {
        const answer = await desk.heartbeat(keyOf(call), call.body.executions);
        if (answer === null) throw notRegistered(call.params.id);
        return { status: 200, body: answer };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/workers/:id/settle`,
      group: GROUP,
      summary: "Hand in how executions ended",
      params,
      body: settleSchema,
      bodyLimit: BULK_BODY_LIMIT,
      idempotency: OWN_REPEATS,
      responses: { 200: { description: "Whether each was accepted, in the same order.", schema: settledSchema } },
      handler: async (call) => ({ status: 200, body: { items: await desk.settle(keyOf(call), call.body.items) } }),
    }),
    route({
      method: "POST",
      path: `${PREFIX}/workers/:id/logs`,
      group: GROUP,
      summary: "Add lines to the logs of executions that the worker holds",
      params,
      body: workerLogsSchema,
      bodyLimit: BULK_BODY_LIMIT,
      idempotency: OWN_REPEATS,
      responses: { 202: { description: "How many lines were kept.", schema: logsAcceptedSchema } },
      handler: async (call) => ({ status: 202, body: await desk.logs(keyOf(call), call.body.items) }),
    }),
    route({
      method: "DELETE",
      path: `${PREFIX}/workers/:id`,
      group: GROUP,
      summary: "Leave; what the worker still holds is given to others",
      params,
      responses: { 204: { description: "It is not there any more." } },
      handler: async (call) => {
        await desk.leave(keyOf(call));
        return { status: 204 };
      },
    }),
  ];
}

function overview(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/workers`,
      group: GROUP,
      summary: "List the workers",
      responses: { 200: { description: "The workers.", schema: pageSchema(workerSchema) } },
      handler: async ({ principal, store }) => {
        const items = (await store.workers.list(principal.projectId)).map(workerView);
        return { status: 200, body: { items, nextCursor: null } };
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/workers/:id`,
      group: GROUP,
      summary: "Read a worker",
      params,
      responses: { 200: WORKER },
      handler: readWorker,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/workers/:id/drain`,
      group: GROUP,
      summary: "Let a worker finish what it has and take nothing more; it is told with its next heartbeat",
      params,
      idempotency: OWN_REPEATS,
      responses: { 200: WORKER },
      handler: async (call) => {
        await call.store.workers.drain(call.principal.projectId, call.params.id);
        const answer = await readWorker(call);
        call.note({ kind: "worker", id: call.params.id });
        return answer;
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/handlers`,
      group: GROUP,
      summary: "List the handlers: offered by workers, wanted by jobs, or both",
      responses: { 200: { description: "The handlers.", schema: pageSchema(handlerSchema) } },
      handler: async ({ principal, store }) => {
        const items = await store.workers.handlers(principal.projectId);
        return { status: 200, body: { items, nextCursor: null } };
      },
    }),
  ];
}

async function claim(desk: WorkerDesk, call: Call<Params, unknown, z.infer<typeof claimSchema>>): Promise<Answer> {
  const answer = await desk.claim(keyOf(call), call.body, call);
  switch (answer.kind) {
    case "executions":
      return { status: 200, body: { executions: answer.executions } };
    case "unknown":
      throw notRegistered(call.params.id);
    case "not_offered": {
      const path = `handlers.${call.body.handlers.findIndex(({ name }) => name === answer.handler)}.name`;
      const message = `"${answer.handler}" is not among what the worker registered; add it with PUT ${PREFIX}/workers/${call.params.id}`;
      throw PunctualError.validation([{ path, code: "not_registered", message, value: answer.handler }]);
    }
    case "full":
      throw new PunctualError("unavailable", "too many workers wait at this node already; try again or another node");
  }
}

async function readWorker({ params: { id }, principal, store }: Call<Params>): Promise<Answer> {
  const worker = await store.workers.find(principal.projectId, id);
  if (worker === null) throw new PunctualError("not_found", `there is no worker "${id}"`);
  return { status: 200, body: workerView(worker) };
}

function keyOf({ principal, params }: Pick<Call<Params>, "principal" | "params">): WorkerKey {
  return { projectId: principal.projectId, id: params.id };
}

function chosenId(id: string): string {
  const parsed = workerIdSchema.safeParse(id);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]!.message;
  throw PunctualError.validation([{ path: "id", code: "invalid_id", message, value: id }]);
}

function notRegistered(id: string): PunctualError {
  return new PunctualError(
    "not_found",
    `the worker "${id}" is not known (any more); register it first with PUT ${PREFIX}/workers/${id}`,
  );
}

export function workerView(worker: WorkerRecord): WorkerView {
  const { id, name, kind, handlers, running, alive, draining } = worker;
  return {
    id,
    name,
    kind,
    handlers,
    running,
    alive,
    draining,
    startedAt: worker.startedAt.toISOString(),
    renewedAt: worker.renewedAt.toISOString(),
    leaseUntil: worker.leaseUntil.toISOString(),
  };
}
