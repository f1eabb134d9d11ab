import type { DetailedHealth, HandlerView, WorkerView } from "punctual/client";
import { read, reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { HandlersCard } from "./handlers-card.tsx";
import { HealthCards } from "./health-cards.tsx";
import { NodesCard } from "./nodes-card.tsx";
import { useListReading, useReading } from "./reading.ts";
import { troublesOf } from "./troubles.ts";
import { WorkersCard } from "./workers-card.tsx";

/** Who does the work: workers with their handlers, nodes, and what they stand on. */
export function WorkersPage() {
  const client = useClient();
  const workers = useListReading(read(["workers", "workers"], (options) => client.workers.list(options)));
  const handlers = useListReading(reads.handlers(client));
  const health = useReading(reads.health(client));
  // Whoever lets nodes call addresses needs no worker: then what there is to see comes first.
  const without = handlers.data?.length === 0 && workers.data?.length === 0;
  return (
    <Page title="Workers and nodes" about="Who does the work, and what it stands on.">
      <Troubles handlers={handlers.data} workers={workers.data} health={health.data} />
      {!without && <HandlersCard handlers={handlers} />}
      {!without && <WorkersCard workers={workers} />}
      <NodesCard health={health.data} />
      <HealthCards health={health} />
      {without && <WorkersCard workers={workers} />}
    </Page>
  );
}

/** What somebody has to see to, before all figures. */
function Troubles(seen: {
  handlers: HandlerView[] | undefined;
  workers: WorkerView[] | undefined;
  health: DetailedHealth | undefined;
}) {
  const troubles = troublesOf(seen);
  if (troubles.length === 0) return null;
  return (
    <ul aria-label="What needs attention" className="flex flex-col gap-2">
      {troubles.map(({ tone, text }) => (
        <li key={text}>
          <Notice tone={tone}>{text}</Notice>
        </li>
      ))}
    </ul>
  );
}
