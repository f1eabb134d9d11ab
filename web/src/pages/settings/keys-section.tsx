import { Ban, Check, Clock, Plus } from "lucide-react";
import type { ApiKey, ApiKeyState } from "punctual/client";
import { useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { Empty } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { RevokeKey, RotateKey } from "./change-key.tsx";
import { ListTable, useList } from "./list.tsx";
import { NewKey } from "./new-key.tsx";
import { RowMenu } from "./row-menu.tsx";

const STATE_LOOK = {
  active: { icon: Check, tone: "ok" },
  expired: { icon: Clock, tone: "idle" },
  revoked: { icon: Ban, tone: "idle" },
} as const satisfies Record<ApiKeyState, object>;

export function KeysSection() {
  const client = useClient();
  const { me } = useSession();
  const list = useList<ApiKey>("api-keys", (query, options) => client.apiKeys.list(query, options));
  const [open, setOpen] = useState<{ what: "rotate" | "revoke"; key: ApiKey } | "new" | null>(null);
  const close = () => setOpen(null);
  const columns: Column<ApiKey>[] = [
    {
      key: "name",
      header: "Name",
      cell: ({ name, id }) => <TwoLines first={name} second={<code className="font-mono">{id}</code>} />,
    },
    { key: "state", header: "State", className: "w-28", cell: (key) => <KeyState apiKey={key} /> },
    {
      key: "scopes",
      header: "May",
      className: "hidden md:table-cell",
      cell: ({ scopes, instanceAdmin }) => (
        <span className="text-muted">{instanceAdmin ? "everything, in every project" : scopes.join(", ")}</span>
      ),
    },
    {
      key: "used",
      header: "Last used",
      className: "hidden w-28 sm:table-cell",
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="text-muted">never</span> : <Time at={lastUsedAt} />,
    },
    {
      key: "made",
      header: "Created",
      className: "hidden w-52 xl:table-cell",
      cell: ({ createdAt, createdBy }) => (
        <span className="[overflow-wrap:anywhere]">
          <Time at={createdAt} />
          {createdBy !== null && <span className="text-muted"> by {createdBy}</span>}
        </span>
      ),
    },
    {
      key: "actions",
      header: <span className="sr-only">Actions</span>,
      className: "w-12 text-right",
      cell: (key) =>
        key.state === "active" && (!key.instanceAdmin || me.instanceAdmin) ? (
          <RowMenu of={key.name}>
            {key.replacedBy === null && <MenuItem onSelect={() => setOpen({ what: "rotate", key })}>Rotate…</MenuItem>}
            <MenuItem danger onSelect={() => setOpen({ what: "revoke", key })}>
              Revoke…
            </MenuItem>
          </RowMenu>
        ) : null,
    },
  ];
  return (
    <Card
      title="API keys"
      flush
      aside={
        <Button size="small" icon={<Plus aria-hidden className="size-3.5" />} onClick={() => setOpen("new")}>
          New key
        </Button>
      }
    >
      <ListTable
        list={list}
        label="API keys"
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title="There are no keys yet.">
            <p>Programs come with a key: your services, your workers, the command line, whatever reads the metrics.</p>
          </Empty>
        }
      />
      {open === "new" && <NewKey onClose={close} />}
      {open !== null && open !== "new" && open.what === "rotate" && <RotateKey apiKey={open.key} onClose={close} />}
      {open !== null && open !== "new" && open.what === "revoke" && <RevokeKey apiKey={open.key} onClose={close} />}
    </Card>
  );
}

function KeyState({ apiKey: { state, expiresAt, replacedBy } }: { apiKey: ApiKey }) {
  return (
    <div>
      <Badge {...STATE_LOOK[state]} text={state} />
      {state === "active" && expiresAt !== null && (
        <div className="text-muted mt-0.5 text-xs">
          {replacedBy === null ? "ends " : "replaced, ends "}
          <Time at={expiresAt} />
        </div>
      )}
    </div>
  );
}
