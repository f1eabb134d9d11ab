import { UserPlus } from "lucide-react";
import type { Member } from "punctual/client";
import { useState } from "react";
import { useClient, useMay, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { Empty } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Time } from "../../ui/time.tsx";
import { AddMember } from "./add-member.tsx";
import { ChangeRole, RemoveMember } from "./change-member.tsx";
import { ListTable, useList } from "./list.tsx";
import { RowMenu } from "./row-menu.tsx";

export function MembersSection() {
  const client = useClient();
  const { me } = useSession();
  const mayChange = useMay("admin");
  const list = useList<Member>("members", (query, options) => client.members.list(query, options));
  const [open, setOpen] = useState<{ what: "role" | "remove"; member: Member } | "add" | null>(null);
  const close = () => setOpen(null);
  const columns: Column<Member>[] = [
    {
      key: "who",
      header: "Who",
      cell: ({ name, email }) => <TwoLines first={email === me.name ? `${name} (you)` : name} second={email} />,
    },
    { key: "role", header: "Role", className: "w-24", cell: ({ role }) => role },
    {
      key: "since",
      header: "Added",
      className: "hidden w-56 sm:table-cell",
      cell: ({ createdAt, createdBy }) => (
        <span className="[overflow-wrap:anywhere]">
          <Time at={createdAt} />
          {createdBy !== null && <span className="text-muted"> by {createdBy}</span>}
        </span>
      ),
    },
    ...(mayChange ? [menuColumn((what, member) => setOpen({ what, member }))] : []),
  ];
  return (
    <Card
      title="Members"
      flush
      aside={
        mayChange && (
          <Button size="small" icon={<UserPlus aria-hidden className="size-3.5" />} onClick={() => setOpen("add")}>
            Add somebody
          </Button>
        )
      }
    >
      <ListTable
        list={list}
        label="Members"
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title="Nobody is a member yet.">
            <p>Instance admins act in every project without being a member. Add those who are to work in this one.</p>
          </Empty>
        }
      />
      {open === "add" && <AddMember onClose={close} />}
      {open !== null && open !== "add" && open.what === "role" && <ChangeRole member={open.member} onClose={close} />}
      {open !== null && open !== "add" && open.what === "remove" && (
        <RemoveMember member={open.member} onClose={close} />
      )}
    </Card>
  );
}

function menuColumn(choose: (what: "role" | "remove", member: Member) => void): Column<Member> {
  return {
    key: "actions",
    header: <span className="sr-only">Actions</span>,
    className: "w-12 text-right",
    cell: (member) => (
      <RowMenu of={member.name}>
        <MenuItem onSelect={() => choose("role", member)}>Change the role…</MenuItem>
        <MenuItem danger onSelect={() => choose("remove", member)}>
          Remove…
        </MenuItem>
      </RowMenu>
    ),
  };
}
