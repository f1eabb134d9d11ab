import { Check, X } from "lucide-react";
import type { DetailedHealth, NodeView } from "punctual/client";
import { read } from "../../api/reads.ts";
import { useClient, useSession } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Empty, Loading } from "../../ui/notice.tsx";
import { TwoLines } from "../../ui/plain-table.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { Time } from "../../ui/time.tsx";
import { Meter } from "./meter.tsx";
import { useListReading } from "./reading.ts";
import { TableCard } from "./table-card.tsx";

/** The servers themselves. They belong to no project, so only whoever sees to the instance is told of each. */
export function NodesCard({ health }: { health: DetailedHealth | undefined }) {
  const { me } = useSession();
  return me.instanceAdmin ? <EachNode /> : <NodeCounts health={health} />;
}

function EachNode() {
  const client = useClient();
  const nodes = useListReading(read(["nodes", "nodes"], (options) => client.nodes(options)));
  return (
    <TableCard
      title="Nodes"
      reading={nodes}
      columns={COLUMNS}
      idOf={({ id }) => id}
      empty={<Empty title="No node is known." />}
    />
  );
}

const COLUMNS: readonly Column<NodeView>[] = [
  {
    key: "name",
    header: "Node",
    cell: ({ name, roles, version }) => <TwoLines first={name} second={`${roles.join(", ")}; version ${version}`} />,
  },
  {
    key: "state",
    header: "State",
    className: "w-20",
    cell: ({ alive }) => <Badge icon={alive ? Check : X} tone={alive ? "ok" : "bad"} text={alive ? "alive" : "lost"} />,
  },
  {
    key: "running",
    header: "Running",
    className: "w-28 max-sm:pr-4 sm:w-44",
    cell: ({ running, concurrency }) => <Meter value={running} max={concurrency} />,
  },
  {
    key: "heard",
    header: "Heartbeat",
    className: "hidden w-28 text-right sm:table-cell",
    cell: ({ renewedAt }) => <Time at={renewedAt} />,
  },
  {
    key: "started",
    header: "Started",
    className: "hidden w-28 text-right md:table-cell",
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
];

function NodeCounts({ health }: { health: DetailedHealth | undefined }) {
  if (health === undefined)
    return (
      <Card title="Nodes">
        <Loading rows={1} />
      </Card>
    );
  const { nodes } = health;
  return (
    <Card title="Nodes">
      <p>
        {nodes === null
          ? "How many nodes there are is not known at the moment."
          : `${nodes.alive} alive, ${nodes.lost} lost.`}
      </p>
      <p className="text-muted mt-1">Nodes belong to no project: instance admins see each of them here.</p>
    </Card>
  );
}
