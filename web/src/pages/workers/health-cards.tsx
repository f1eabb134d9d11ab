import type { UseQueryResult } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import type { DetailedHealth } from "punctual/client";
import { Card, Facts } from "../../ui/card.tsx";
import { numberText } from "../../ui/counted.ts";
import { Failure, Loading } from "../../ui/notice.tsx";
import { PlainTable } from "../../ui/plain-table.tsx";
import { Badge } from "../../ui/state-badge.tsx";
import { Duration } from "../../ui/time.tsx";

/** What the nodes stand on, as the one sees it that answered. */
export function HealthCards({ health: { data, error, refetch } }: { health: UseQueryResult<DetailedHealth> }) {
  if (data === undefined)
    return (
      <Card title="Queue and database">
        {error ? <Failure error={error} retry={() => void refetch()} /> : <Loading rows={4} />}
      </Card>
    );
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Queue queue={data.queue} />
      <Database {...data} />
    </div>
  );
}

function Queue({ queue }: Pick<DetailedHealth, "queue">) {
  if (queue === null)
    return (
      <Card title="Queue">
        <p className="text-muted">The database did not answer, so it is not known.</p>
      </Card>
    );
  return (
    <Card title="Queue">
      <Facts
        items={[
          ["Due and not started", numberText(queue.due)],
          ["Oldest that nodes run", <Duration key="lag" ms={queue.lagMs === 0 ? null : queue.lagMs} />],
        ]}
      />
      {queue.due > 0 && (
        <p className="text-muted mt-2">How long executions wait for workers stands at their handler.</p>
      )}
      {queue.depth.length > 0 && (
        <div className="border-line mt-3 -mb-2 border-t">
          <PlainTable
            label="Due by priority"
            rows={queue.depth}
            idOf={({ priorityBand }) => priorityBand}
            columns={[
              { key: "band", header: "Priority", className: "!pl-0", cell: ({ priorityBand }) => priorityBand },
              {
                key: "due",
                header: "Due",
                className: "!pr-0 text-right",
                cell: ({ due }) => numberText(due),
              },
            ]}
          />
        </div>
      )}
    </Card>
  );
}

function Database({ database, clock, node }: DetailedHealth) {
  const { reachable, version, latencyMs, connections } = database;
  return (
    <Card title="Database">
      <Facts
        items={[
          [
            "State",
            <Badge
              key="state"
              icon={reachable ? Check : X}
              tone={reachable ? "ok" : "bad"}
              text={reachable ? "reachable" : "not reachable"}
            />,
          ],
          ["PostgreSQL", version ?? "–"],
          ["Answers in", <Duration key="latency" ms={latencyMs} />],
          [
            "Connections",
            `${connections.total}, of them ${connections.idle} idle; ${connections.waiting} waiting for one`,
          ],
          ["Clock", clock === null ? "–" : clockWords(clock.offsetMs)],
          ["Seen by", node.name],
        ]}
      />
    </Card>
  );
}

/** The database's clock less the node's. */
function clockWords(offsetMs: number): string {
  const size = Math.abs(Math.round(offsetMs));
  if (size < 1) return "the same as the node’s";
  return `${numberText(size)} ms ${offsetMs > 0 ? "ahead of" : "behind"} the node’s`;
}
