import { getRouteApi } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { type CountedAction, CountedActionDialog } from "../../ui/counted-action.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Empty, Loading } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { present } from "../../ui/search-values.ts";
import { ActionIcon } from "./action-icon.tsx";
import { possibleActions, withMatching } from "./bulk-actions.ts";
import { ExecutionFilters } from "./execution-filters.tsx";
import { ExecutionList } from "./execution-list.tsx";
import { type Filter, filterOf } from "./filter.ts";
import { StateTabs } from "./state-tabs.tsx";
import { useNamedJob } from "./use-named-job.ts";

const route = getRouteApi("/executions");

/** What ran, what did not, and why: newest first, and live. */
export function ExecutionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { job, isUnknown, filter } = useFilter();
  const first = useRef<HTMLInputElement>(null);
  const mayOperate = useMay("operate");
  const [action, setAction] = useState<CountedAction | null>(null);
  useShortcuts([{ key: "/", about: "Filter", act: () => first.current?.focus() }]);
  return (
    <Page
      title="Executions"
      actions={mayOperate && filter !== null && <MatchingMenu filter={filter} act={setAction} />}
    >
      <StateTabs search={search} filter={filter ?? {}} enabled={filter !== null} />
      <ExecutionFilters
        search={search}
        jobName={job?.name}
        first={first}
        change={(changes) =>
          void navigate({ search: (before) => present({ ...before, ...changes }), replace: true, resetScroll: false })
        }
      />
      {isUnknown ? (
        <Card>
          <Empty title={`There is no job "${search.job}".`}>
            <p>It may have been deleted. Its executions are found by its id, or without the filter.</p>
          </Empty>
        </Card>
      ) : filter === null ? (
        <Card>
          <Loading />
        </Card>
      ) : (
        <ExecutionList filter={filter} order={search.order ?? "desc"} act={setAction} />
      )}
      {action && <CountedActionDialog action={action} onClose={() => setAction(null)} />}
    </Page>
  );
}

/** null: the job that the address names is not known yet. */
function useFilter() {
  const search = route.useSearch();
  const { job, isUnknown, isKnown } = useNamedJob(search.job);
  const jobId = job?.id;
  const filter = useMemo(() => (isKnown ? filterOf(search, jobId, Date.now()) : null), [search, jobId, isKnown]);
  return { job, isUnknown, filter };
}

function MatchingMenu({ filter, act }: { filter: Filter; act: (action: CountedAction) => void }) {
  const client = useClient();
  return (
    <Menu trigger={<Button icon={<ChevronDown aria-hidden className="size-4" />}>All that match</Button>}>
      {possibleActions(filter).map((action) => (
        <MenuItem
          key={action}
          danger={action === "cancel"}
          icon={<ActionIcon action={action} />}
          onSelect={() => act(withMatching(client, action, filter))}
        >
          {action === "retry" ? "Run all again…" : "Cancel all…"}
        </MenuItem>
      ))}
    </Menu>
  );
}
