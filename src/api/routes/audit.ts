import { once } from "node:events";
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import { type AuditEntry, auditEntrySchema, auditQuery } from "../../contract/audit.ts";
import { pageSchema } from "../../contract/page.ts";
import type { AuditFilter, AuditRecord } from "../../store/port/audit.ts";
import { demand } from "../principal.ts";
import { type Answer, type Call, PREFIX, type Route, route, type Takeover } from "../route.ts";
import { auditedActions } from "../rules.ts";

const LINES = "application/x-ndjson";
/** Of an export: read in pages, so that one of millions of lines takes no more memory than one of a thousand. */
const EXPORTED_AT_ONCE = 1_000;

type AuditCall = Call<unknown, z.infer<typeof auditQuery>>;

export function auditRoutes(): Route[] {
  return [
    route({
      method: "GET",
      path: `${PREFIX}/audit`,
      group: "Audit",
      summary: `Who did what, newest first; with accept: ${LINES} all of it, a line each`,
      query: auditQuery,
      responses: { 200: { description: "A page of the audit.", schema: pageSchema(auditEntrySchema) } },
      handler: async (call) => {
        if (call.query.instance) demand(call.principal, "instance");
        return call.headers.accept?.includes(LINES) ? exported(call) : await listed(call);
      },
    }),
  ];
}

async function listed(call: AuditCall): Promise<Answer> {
  const page = { after: call.query.cursor ?? null, limit: call.query.limit };
  const { items, next } = await call.store.audit.list(placeOf(call), filterOf(call), page);
  return { status: 200, body: { items: items.map(view), nextCursor: next } };
}

function exported(call: AuditCall): Answer | Takeover {
  if (call.method === "HEAD") return { status: 200, headers: { "content-type": LINES } };
  return { takeOver: (reply) => void writeLines(call, reply) };
}

/** Waits for a slow reader, and cuts the answer off when it cannot go on: half an export must not look like a whole one. */
async function writeLines(call: AuditCall, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  try {
    raw.writeHead(200, { ...reply.getHeaders(), "content-type": `${LINES}; charset=utf-8` } as Record<string, string>);
    let after: string | null = call.query.cursor ?? null;
    do {
      const page = { after, limit: EXPORTED_AT_ONCE };
      const { items, next } = await call.store.audit.list(placeOf(call), filterOf(call), page);
      const text = items.map((item) => `${JSON.stringify(view(item))}\n`).join("");
      if (!raw.write(text)) await once(raw, "drain", { signal: call.signal });
      after = next;
    } while (after !== null);
    raw.end();
  } catch {
    raw.destroy();
  }
}

/** "job" stands for all that can be done to jobs. */
function filterOf({ query: { action, ...rest } }: AuditCall): AuditFilter {
  const known = auditedActions();
  const named = (each: string) => (each.includes(".") ? [each] : known.filter((one) => one.startsWith(`${each}.`)));
  return { ...rest, action: action?.flatMap(named) };
}

function placeOf({ query, principal }: AuditCall): string | null {
  return query.instance ? null : principal.projectId;
}

function view({ at, ...rest }: AuditRecord): AuditEntry {
  return { ...rest, at: at.toISOString() };
}
