import type { AuditEntry } from "../../client/index.ts";
import { given, type ListFlags, showPages } from "../listing.ts";
import { pastTime } from "../past-time.ts";
import type { Session } from "../session.ts";

export interface AuditFlags extends ListFlags {
  actor?: string;
  action?: string;
  object?: string;
  since?: string;
  until?: string;
  instance?: boolean;
  export?: boolean;
}

export async function showAudit(session: Session, flags: AuditFlags): Promise<void> {
  const { out } = session;
  const filter = filterOf(flags, out.now);
  const { audit } = await session.client();
  if (flags.export) {
    for await (const entry of audit.export(filter)) out.showLine(entry, () => JSON.stringify(entry));
    return;
  }
  await showPages(
    out,
    flags,
    { page: (page) => audit.list({ ...filter, ...page }), all: () => audit.all(filter) },
    {
      columns: [
        { title: "TIME", of: ({ at }) => out.time(at) },
        { title: "ACTOR", of: actorText, min: 12 },
        { title: "ACTION", of: ({ action }) => action },
        { title: "OBJECT", of: objectText, min: 16 },
        { title: "FROM", of: ({ address }) => address ?? "-", rank: 1 },
        { title: "REQUEST", of: ({ requestId }) => requestId ?? "-", rank: 2 },
      ],
      empty: Object.keys(filter).length > 0 ? "Nothing in the audit matches." : "Nothing was changed here yet.",
    },
  );
}

/** A key may be called like a person; only people stand without a word before their name. */
function actorText({ actor }: AuditEntry): string {
  return actor.kind === "session" ? actor.name : `${actor.kind} ${actor.name}`;
}

function filterOf({ actor, action, object, since, until, instance }: AuditFlags, now: Date) {
  return given({
    actor,
    action: action?.split(","),
    object,
    from: pastTime("--since", since, now),
    to: pastTime("--until", until, now),
    instance,
  });
}

/** `job nightly-report`; what has no name goes by its id. */
function objectText({ object }: AuditEntry): string {
  return object === null ? "-" : `${object.kind} ${object.name ?? object.id}`.trim();
}
