import { Plus } from "lucide-react";
import type { Secret } from "punctual/client";
import { useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Code, CopyButton } from "../../ui/copy.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { DeleteSecret, SetSecret } from "./change-secret.tsx";
import { ListTable, useList } from "./list.tsx";
import { RowMenu } from "./row-menu.tsx";

export function SecretsSection() {
  const client = useClient();
  const mayWrite = useMay("write");
  const list = useList<Secret>("secrets", (_query, options) => client.secrets.list(options));
  const [open, setOpen] = useState<{ what: "replace" | "delete"; secret: Secret } | "new" | null>(null);
  const close = () => setOpen(null);
  const columns: Column<Secret>[] = [
    {
      key: "name",
      header: "Name",
      cell: ({ name }) => (
        <span className="flex items-center gap-1">
          <code className="font-mono [overflow-wrap:anywhere]">{name}</code>
          <CopyButton text={placeholderOf(name)} label={`Copy ${placeholderOf(name)}`} />
        </span>
      ),
    },
    { key: "version", header: "Version", className: "w-20", cell: ({ version }) => version },
    {
      key: "changed",
      header: "Set",
      className: "w-28",
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
    {
      key: "created",
      header: "Created",
      className: "hidden w-28 md:table-cell",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(mayWrite ? [menuColumn((what, secret) => setOpen({ what, secret }))] : []),
  ];
  return (
    <Card
      title="Secrets"
      flush
      aside={
        mayWrite && (
          <Button size="small" icon={<Plus aria-hidden className="size-3.5" />} onClick={() => setOpen("new")}>
            New secret
          </Button>
        )
      }
    >
      <ListTable
        list={list}
        label="Secrets"
        columns={columns}
        idOf={({ name }) => name}
        empty={
          <Empty title="There are no secrets yet.">
            <p>
              A secret is a value that jobs use and nobody reads: it is written, replaced and deleted, and never shown.
              The target of a job names it:
            </p>
            <div className="w-full text-left">
              <Code label="a header with a secret" text={'"authorization": "Bearer {{secrets.REPORTS_TOKEN}}"'} wrap />
            </div>
          </Empty>
        }
      />
      {open === "new" && <SetSecret name={null} onClose={close} />}
      {open !== null && open !== "new" && open.what === "replace" && (
        <SetSecret name={open.secret.name} onClose={close} />
      )}
      {open !== null && open !== "new" && open.what === "delete" && (
        <DeleteSecret name={open.secret.name} onClose={close} />
      )}
    </Card>
  );
}

function placeholderOf(name: string): string {
  return `{{secrets.${name}}}`;
}

function menuColumn(choose: (what: "replace" | "delete", secret: Secret) => void): Column<Secret> {
  return {
    key: "actions",
    header: <span className="sr-only">Actions</span>,
    className: "w-12 text-right",
    cell: (secret) => (
      <RowMenu of={secret.name}>
        <MenuItem onSelect={() => choose("replace", secret)}>Replace the value…</MenuItem>
        <MenuItem danger onSelect={() => choose("delete", secret)}>
          Delete…
        </MenuItem>
      </RowMenu>
    ),
  };
}
