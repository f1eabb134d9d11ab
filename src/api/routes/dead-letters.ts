import type { z } from "zod";
import { bulkAnswerSchema } from "../../contract/bulk.ts";
import {
  bulkDeadLettersInput,
  deadLetterGroupSchema,
  deadLetterGroupsQuery,
  deadLetterListQuery,
  deadLetterSchema,
} from "../../contract/dead-letter.ts";
import { pageSchema } from "../../contract/page.ts";
import type { DeadLetterFilter } from "../../store/port/executions.ts";
import { noteBulk, runBulk } from "../bulk.ts";
import { type Answer, BULK_BODY_LIMIT, type Call, PREFIX, type Route, route } from "../route.ts";

/** Retried or discarded in one statement. */
const AT_A_TIME = 1_000;

const DONE = { description: "What was done.", schema: bulkAnswerSchema };

export function deadLetterRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/dead-letters`,
      group: "Dead letters",
      summary: "List dead letters",
      query: deadLetterListQuery,
      responses: { 200: { description: "A page of dead letters.", schema: pageSchema(deadLetterSchema) } },
      handler: async ({ query, principal, store }) => {
        const page = { after: query.cursor ?? null, limit: query.limit };
        const { items, next } = await store.deadLetters.list(principal.projectId, deadLetterFilter(query), page);
        return { status: 200, body: { items, nextCursor: next } };
      },
    }),
    route({
      method: "GET",
      path: `${PREFIX}/dead-letters/groups`,
      group: "Dead letters",
      summary: "Dead letters by job and kind of error, the most frequent first",
      query: deadLetterGroupsQuery,
      responses: { 200: { description: "The groups.", schema: pageSchema(deadLetterGroupSchema) } },
      handler: async ({ query, principal, store }) => {
        const items = await store.deadLetters.groups(principal.projectId, deadLetterFilter(query), query.limit);
        return { status: 200, body: { items, nextCursor: null } };
      },
    }),
    route({
      method: "POST",
      path: `${PREFIX}/dead-letters/retry`,
      group: "Dead letters",
      summary: "Run dead letters again",
      body: bulkDeadLettersInput,
      bodyLimit: BULK_BODY_LIMIT,
      responses: { 200: DONE },
      atomic: false,
      handler: retryAll,
    }),
    route({
      method: "POST",
      path: `${PREFIX}/dead-letters/discard`,
      group: "Dead letters",
      summary: "Discard dead letters",
      body: bulkDeadLettersInput,
      bodyLimit: BULK_BODY_LIMIT,
      responses: { 200: DONE },
      atomic: false,
      handler: discardAll,
    }),
  ];
}

type BulkCall = Call<unknown, unknown, z.infer<typeof bulkDeadLettersInput>>;

async function retryAll(call: BulkCall): Promise<Answer> {
  const { principal, store, publish, wake } = call;
  const answer = await each(call, async (ids) => {
    const made = await store.deadLetters.retry(principal.projectId, ids, { actor: principal.name });
    for (const { executionId } of made)
      publish({
        type: "execution.scheduled",
        projectId: principal.projectId,
        data: { executionId, state: "scheduled" },
      });
    return made.length;
  });
  wake();
  return answer;
}

async function discardAll(call: BulkCall): Promise<Answer> {
  const { principal, store } = call;
  return await each(call, (ids) => store.deadLetters.discard(principal.projectId, ids, { actor: principal.name }));
}

/** Those that somebody else dealt with meanwhile, or whose job is gone, count as failed. */
async function each(call: BulkCall, act: (ids: string[]) => Promise<number>): Promise<Answer> {
  const { body, principal, store } = call;
  const filter = body.ids ? { ids: [...new Set(body.ids)] } : deadLetterFilter(body.filter!);
  const matching = (limit: number) =>
    store.deadLetters.matching(principal.projectId, { statuses: ["open"], ...filter }, limit);
  const answer = await runBulk(matching, body, async (ids) => {
    let changed = 0;
    for (let start = 0; start < ids.length; start += AT_A_TIME)
      changed += await act(ids.slice(start, start + AT_A_TIME));
    return { changed, failures: [] };
  });
  const failed = body.dryRun ? 0 : answer.matched - answer.changed;
  noteBulk(call, "dead letters", { ...answer, failed });
  return { status: 200, body: { ...answer, failed } };
}

interface WrittenFilter {
  status?: DeadLetterFilter["statuses"] | undefined;
  jobId?: string[] | undefined;
  group?: string[] | undefined;
}

function deadLetterFilter({ status, jobId, group }: WrittenFilter): DeadLetterFilter {
  return {
    statuses: status ?? ["open"],
    ...(jobId ? { jobIds: jobId } : {}),
    ...(group ? { groups: group } : {}),
  };
}
