import { Check, Clock, Plus } from "lucide-react";
import type { SigningKey } from "punctual/client";
import { useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { Empty } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { DeleteSigningKey, NewSigningKey, RotateSigningKey } from "./change-signing-key.tsx";
import { ListTable, useList } from "./list.tsx";
import { RevealSigningKey } from "./reveal-signing-key.tsx";
import { RowMenu } from "./row-menu.tsx";

type Doing = "rotate" | "reveal" | "delete";

const USE_WORDS: Record<SigningKey["use"], string> = {
  project: "all jobs that name no key",
  named: "jobs that name it",
};

export function SigningKeysSection() {
  const client = useClient();
  const mayWrite = useMay("write");
  const mayReveal = useMay("admin");
  const list = useList<SigningKey>("signing-keys", (_query, options) => client.signingKeys.list(options));
  const [open, setOpen] = useState<{ what: Doing; signingKey: SigningKey } | "new" | null>(null);
  const close = () => setOpen(null);
  const columns: Column<SigningKey>[] = [
    {
      key: "name",
      header: "Name",
      cell: ({ name, version, use }) => <TwoLines first={name} second={`version ${version}, for ${USE_WORDS[use]}`} />,
    },
    { key: "state", header: "State", className: "w-36", cell: (key) => <SigningKeyState signingKey={key} /> },
    {
      key: "created",
      header: "Created",
      className: "hidden w-28 sm:table-cell",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(mayWrite ? [menuColumn(mayReveal, (what, signingKey) => setOpen({ what, signingKey }))] : []),
  ];
  return (
    <Card
      title="Signing keys"
      flush
      aside={
        mayWrite && (
          <Button size="small" icon={<Plus aria-hidden className="size-3.5" />} onClick={() => setOpen("new")}>
            New signing key
          </Button>
        )
      }
    >
      <p className="text-muted border-line border-b px-4 py-3">
        Calls are signed with these (Standard Webhooks), so that receivers can tell that they come from here.
      </p>
      <ListTable
        list={list}
        label="Signing keys"
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="There are no signing keys: calls are not signed." />}
      />
      {open === "new" && <NewSigningKey onClose={close} />}
      {open !== null && open !== "new" && <Opened {...open} onClose={close} />}
    </Card>
  );
}

function menuColumn(mayReveal: boolean, choose: (what: Doing, signingKey: SigningKey) => void): Column<SigningKey> {
  return {
    key: "actions",
    header: <span className="sr-only">Actions</span>,
    className: "w-12 text-right",
    cell: (key) => (
      <RowMenu of={`${key.name}, version ${key.version}`}>
        {mayReveal && <MenuItem onSelect={() => choose("reveal", key)}>Show the secret…</MenuItem>}
        {key.expiresAt === null && <MenuItem onSelect={() => choose("rotate", key)}>Rotate…</MenuItem>}
        <MenuItem danger onSelect={() => choose("delete", key)}>
          Delete…
        </MenuItem>
      </RowMenu>
    ),
  };
}

function Opened({ what, ...rest }: { what: Doing; signingKey: SigningKey; onClose: () => void }) {
  if (what === "rotate") return <RotateSigningKey {...rest} />;
  if (what === "reveal") return <RevealSigningKey {...rest} />;
  return <DeleteSigningKey {...rest} />;
}

function SigningKeyState({ signingKey: { state, expiresAt } }: { signingKey: SigningKey }) {
  if (state === "expired") return <Badge icon={Clock} tone="idle" text="ended" />;
  return (
    <div>
      <Badge icon={Check} tone="ok" text="signs" />
      {expiresAt !== null && (
        <div className="text-muted mt-0.5 text-xs">
          replaced, ends <Time at={expiresAt} />
        </div>
      )}
    </div>
  );
}
