import { getRouteApi } from "@tanstack/react-router";
import { ChevronDown, RotateCcw, Trash2 } from "lucide-react";
import type { DeadLetterGroup, DeadLetterStatus } from "punctual/client";
import { useRef, useState } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { counted } from "../../ui/counted.ts";
import { type CountedAction, CountedActionDialog } from "../../ui/counted-action.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Empty, errorText, Failure, Loading } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { present } from "../../ui/search-values.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { JobPicker } from "../executions/job-picker.tsx";
import { useNamedJob } from "../executions/use-named-job.ts";
import { type Action, letterAction, letters, type Selection } from "./letter-actions.ts";
import { letterColumns } from "./letter-columns.tsx";
import { GROUPS_MAX, type Row, rowId, useGroups, useLetters } from "./use-letters.ts";

const route = getRouteApi("/dead-letters");
const TABS = [
  ["open", "Open"],
  ["retried", "Retried"],
  ["discarded", "Discarded"],
] as const satisfies (readonly [DeadLetterStatus, string])[];

/** What failed for good, by what went wrong: to be run again, or put away. */
export function DeadLettersPage() {
  const { status = "open", job: named } = route.useSearch();
  const client = useClient();
  const change = useChange();
  const { job, isKnown, isUnknown } = useNamedJob(named);
  const [action, setAction] = useState<CountedAction | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const begin = (kind: Action, selection: Selection) => setAction(letterAction(client, kind, selection));
  const mayOperate = useMay("operate");
  useShortcuts([{ key: "/", about: "Filter", act: () => first.current?.focus() }]);
  return (
    <Page
      title="Dead letters"
      about="Executions that failed for good, and wait for somebody to decide."
      actions={
        mayOperate &&
        status === "open" &&
        isKnown && <AllMenu act={(kind) => begin(kind, { filter: job ? { jobId: [job.id] } : {} })} />
      }
    >
      <Tabs
        label="By what became of them"
        tabs={TABS.map(([each, label]) => ({
          label,
          current: each === status,
          search: present({ status: each === "open" ? undefined : each, job: named }),
        }))}
      />
      <search className="sm:max-w-xs">
        <JobPicker
          key={named ?? ""}
          value={job?.name ?? named ?? null}
          inputRef={first}
          onChange={(next) => change({ job: next ?? undefined, group: undefined })}
        />
      </search>
      {isUnknown ? (
        <Card>
          <Empty title={`There is no job "${named}".`}>
            <p>It may have been deleted. Its dead letters are found by its id, or without the filter.</p>
          </Empty>
        </Card>
      ) : (
        <Groups status={status} jobId={job?.id} enabled={isKnown} begin={begin} />
      )}
      {action && <CountedActionDialog action={action} onClose={() => setAction(null)} />}
    </Page>
  );
}

function useChange() {
  const navigate = route.useNavigate();
  return (changes: { job?: string | undefined; group?: string | undefined }) =>
    void navigate({ search: (before) => present({ ...before, ...changes }), replace: true, resetScroll: false });
}

function AllMenu({ act }: { act: (action: Action) => void }) {
  return (
    <Menu trigger={<Button icon={<ChevronDown aria-hidden className="size-4" />}>All open ones</Button>}>
      <MenuItem icon={<RotateCcw aria-hidden className="size-4" />} onSelect={() => act("retry")}>
        Run all again…
      </MenuItem>
      <MenuItem danger icon={<Trash2 aria-hidden className="size-4" />} onSelect={() => act("discard")}>
        Discard all…
      </MenuItem>
    </Menu>
  );
}

function Groups({
  status,
  jobId,
  enabled,
  begin,
}: {
  status: DeadLetterStatus;
  jobId: string | undefined;
  enabled: boolean;
  begin: (action: Action, selection: Selection) => void;
}) {
  const { group: open } = route.useSearch();
  const change = useChange();
  const mayAct = useMay("operate") && status === "open";
  const { groups, data, error, refetch } = useGroups(status, jobId, enabled);
  const rows = useRows(groups, status, open);
  const act = (action: Action, row: Row) => {
    if (row.kind === "group") begin(action, { filter: { group: [row.group.group] } });
    else if (row.kind === "letter") begin(action, { ids: [row.letter.id] });
  };
  if (data === undefined)
    return <Card>{error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />}</Card>;
  if (groups.length === 0) return <NoLetters status={status} />;
  return (
    <>
      <p className="text-muted" role="status">
        {letters(groups.reduce((sum, { count }) => sum + count, 0))} in {counted(groups.length, "group")}
        {groups.length === GROUPS_MAX && "; only the largest groups are shown"}.
      </p>
      <Card flush>
        <DataTable
          label="Dead letters by error"
          rows={rows}
          idOf={rowId}
          nameOf={rowId}
          columns={letterColumns({
            toggle: (group) => change({ group: group === open ? undefined : group }),
            act: mayAct ? act : null,
          })}
          shortcuts={
            mayAct
              ? [
                  { key: "r", about: "Run the row's again", act: (row) => act("retry", row) },
                  { key: "d", about: "Discard the row's", act: (row) => act("discard", row) },
                ]
              : []
          }
        />
      </Card>
    </>
  );
}

/** The groups, with those of the open one below it. */
function useRows(groups: readonly DeadLetterGroup[], status: DeadLetterStatus, open: string | undefined): Row[] {
  const isThere = groups.some(({ group }) => group === open);
  const found = useLetters(status, isThere ? open : undefined);
  return groups.flatMap((group): Row[] => {
    const isOpen = group.group === open;
    if (!isOpen) return [{ kind: "group", group, isOpen }];
    return [
      { kind: "group", group, isOpen },
      ...found.letters.map((letter): Row => ({ kind: "letter", letter })),
      ...moreRow(found),
    ];
  });
}

function moreRow(found: ReturnType<typeof useLetters>): Row[] {
  const { error, isFetching, hasNextPage, fetchNextPage, refetch } = found;
  if (error) return [{ kind: "more", text: `${errorText(error)} Try again`, act: () => void refetch() }];
  if (isFetching && (found.letters.length === 0 || found.isFetchingNextPage))
    return [{ kind: "more", text: "Loading…", act: null }];
  return hasNextPage ? [{ kind: "more", text: "Show more", act: () => void fetchNextPage() }] : [];
}

const NONE: Record<DeadLetterStatus, string> = {
  open: "Nothing failed for good.",
  retried: "None was retried.",
  discarded: "None was discarded.",
};

function NoLetters({ status }: { status: DeadLetterStatus }) {
  return (
    <Card>
      <Empty title={NONE[status]}>
        {status === "open" && (
          <p>
            An execution comes here when its last attempt failed or nobody knows how it ended. It is then run again or
            discarded, alone or with all that failed the same way.
          </p>
        )}
      </Empty>
    </Card>
  );
}
