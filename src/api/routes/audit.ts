import { once } from "node:events";
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import { type AuditEntry, auditEntrySchema, auditQuery } from "../../contract/audit.ts";
import { PunctualError } from "../../contract/errors.ts";
import { pageSchema } from "../../contract/page.ts";
import type { AuditFilter, AuditRecord } from "../../store/port/audit.ts";
import type { ApiOptions } from "../deps.ts";
import { demand } from "../principal.ts";
import { type Answer, type Call, PREFIX, type Route, route, type Takeover } from "../route.ts";
import { auditedActions } from "../rules.ts";

const LINES = "application/x-ndjson";
/** Of an export: read in pages, so that one of millions of lines takes no more memory than one of a hundred. A line may have 32 KiB. */
const EXPORTED_AT_ONCE = 100;
/** At a time on a node, each with a page in memory. */
const EXPORTS_MAX = 10;

type AuditCall = Call<unknown, z.infer<typeof auditQuery>>;

export function auditRoutes({ timeouts }: Pick<ApiOptions, "timeouts">): Route[] {
  const exports: Exports = { running: 0, unreadMs: timeouts.unreadMs };
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
        return call.headers.accept?.includes(LINES) ? exported(call, exports) : await listed(call);
      },
    }),
  ];
}

async function listed(call: AuditCall): Promise<Answer> {
  const page = { after: call.query.cursor ?? null, limit: call.query.limit };
  const { items, next } = await call.store.audit.list(placeOf(call), filterOf(call), page);
  return { status: 200, body: { items: items.map(view), nextCursor: next } };
}

interface Exports {
  running: number;
  unreadMs: number;
}

function exported(call: AuditCall, exports: Exports): Answer | Takeover {
  if (call.method === "HEAD") return { status: 200, headers: { "content-type": LINES } };
  if (exports.running >= EXPORTS_MAX)
    throw new PunctualError("unavailable", `this node has ${EXPORTS_MAX} exports under way; try again or another node`);
  exports.running += 1;
  const done = () => {
    exports.running -= 1;
  };
  return { takeOver: (reply) => void writeLines(call, reply, exports).finally(done) };
}

/** Waits for a slow reader, and cuts the answer off when it cannot go on: half an export must not look like a whole one. */
async function writeLines(call: AuditCall, reply: FastifyReply, { unreadMs }: Exports): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.setTimeout(unreadMs, () => raw.destroy());
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
