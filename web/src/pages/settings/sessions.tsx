import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Session } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Time } from "../../ui/time.tsx";
import { tell, tellFailure } from "../../ui/toast.tsx";
import { browserName } from "./browser-name.ts";
import { ListTable, useList } from "./list.tsx";

/** Where one is signed in. */
export function Sessions() {
  const client = useClient();
  const list = useList<Session>("sessions", (_query, options) => client.sessions.list(options));
  const columns: Column<Session>[] = [
    {
      key: "where",
      header: "Where",
      cell: ({ userAgent, address, current }) => (
        <TwoLines first={`${browserName(userAgent)}${current ? " (this one)" : ""}`} second={address} />
      ),
    },
    { key: "seen", header: "Last seen", className: "w-28", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    {
      key: "begun",
      header: "Signed in",
      className: "hidden w-28 sm:table-cell",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      key: "ends",
      header: "Ends",
      className: "hidden w-28 md:table-cell",
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    {
      key: "actions",
      header: <span className="sr-only">Actions</span>,
      className: "w-20 text-right",
      cell: (session) => !session.current && <EndSession session={session} />,
    },
  ];
  return (
    <Card title="Sessions" flush>
      <ListTable
        list={list}
        label="Sessions"
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="There are no sessions." />}
      />
    </Card>
  );
}

function EndSession({ session: { id, userAgent, address } }: { session: Session }) {
  const client = useClient();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => client.sessions.revoke(id),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["settings", "sessions"] });
      tell("The session is over.");
    },
    onError: (error) => tellFailure("The session could not be ended", error),
  });
  return (
    <Button
      size="small"
      busy={end.isPending}
      aria-label={`End the session of ${browserName(userAgent)} at ${address}`}
      onClick={() => end.mutate()}
    >
      End it
    </Button>
  );
}
