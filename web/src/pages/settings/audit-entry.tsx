import type { AuditEntry } from "punctual/client";
import { Facts } from "../../ui/card.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FullTime } from "../../ui/time.tsx";

const ACTOR_WORDS: Record<AuditEntry["actor"]["kind"], string> = {
  key: "API key",
  session: "person",
  token: "token",
  nobody: "nobody who is known",
};

/** All that is written about one change. */
export function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { action, at, actor, object, address, requestId, before, after } = entry;
  return (
    <Dialog open onClose={onClose} title={action} wide>
      <div className="flex flex-col gap-4">
        <Facts
          items={[
            ["When", <FullTime key="at" at={at} />],
            ["Who", <Named key="who" name={actor.name} kind={ACTOR_WORDS[actor.kind] ?? actor.kind} id={actor.id} />],
            ...(object === null
              ? []
              : [["What", <Named key="what" name={object.name ?? ""} kind={object.kind} id={object.id} />] as const]),
            ["Address", address ?? "–"],
            [
              "Request",
              <code key="request" className="font-mono text-xs">
                {requestId ?? "–"}
              </code>,
            ],
          ]}
        />
        <div className="grid gap-4 md:grid-cols-2">
          <Side title="Before" value={before} />
          <Side title="After" value={after} />
        </div>
      </div>
    </Dialog>
  );
}

function Named({ name, kind, id }: { name: string; kind: string; id: string }) {
  return (
    <>
      {name} <span className="text-muted">{name === "" ? kind : `(${kind})`}</span>
      {id !== "" && id !== name && <code className="text-muted block font-mono text-xs">{id}</code>}
    </>
  );
}

function Side({ title, value }: { title: string; value: unknown }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 font-medium">{title}</h3>
      {value === null || value === undefined ? (
        <p className="text-muted">Nothing is written.</p>
      ) : (
        <Code text={JSON.stringify(value, null, 2)} label={`what was ${title.toLowerCase()}`} wrap />
      )}
    </section>
  );
}
