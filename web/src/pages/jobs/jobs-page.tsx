import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, Plus, Trash2 } from "lucide-react";
import { reads } from "../../api/reads.ts";
import { useClient, useMay } from "../../api/session.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { buttonClass, IconButton } from "../../ui/button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { FirstContact } from "./first-contact.tsx";
import { JobFilters } from "./job-filters.tsx";
import { JobTable } from "./job-table.tsx";
import { countOf, JobTabs } from "./job-tabs.tsx";
import type { JobsSearch } from "./search.ts";
import { useSampleJobs } from "./use-sample-jobs.ts";

/** All jobs: what runs when, how it has been doing, and what comes next. */
export function JobsPage() {
  const { project: _, ...search } = useSearch({ from: "/jobs" });
  const { data: counts, isPending: isCounting } = useJobCounts(search);
  const isFiltered = Object.keys(search).some((key) => key !== "sort");
  const isFirst = !isFiltered && counts !== undefined && countOf(counts, undefined) === 0;
  return (
    <Page title="Jobs" actions={<PageActions samples={!isFirst} />}>
      {!(isFirst && counts.deleted === 0) && (
        <div className="flex flex-col gap-3">
          <JobTabs search={search} counts={counts} />
          {!isFirst && <JobFilters search={search} tags={counts?.tags ?? []} />}
        </div>
      )}
      {isFirst ? <FirstContact /> : <JobTable search={search} counts={counts} isCounting={isCounting} />}
    </Page>
  );
}

function useJobCounts({ state: _, sort: __, ...filter }: JobsSearch) {
  const client = useClient();
  return useQuery(reads.jobCounts(client, filter));
}

/** `samples`: with the way to have and to lose them, unless the page itself offers it. */
function PageActions({ samples }: { samples: boolean }) {
  const mayWrite = useMay("write");
  const navigate = useNavigate();
  const { present, echo, load, remove } = useSampleJobs();
  const echoUrl = echo.data;
  useShortcuts(mayWrite ? [{ key: "n", about: "New job", act: () => void navigate({ to: "/jobs/new" }) }] : []);
  if (!mayWrite) return null;
  return (
    <>
      {samples && (present || typeof echoUrl === "string") && (
        <Menu trigger={<IconButton label="Sample jobs" icon={<Ellipsis aria-hidden className="size-4" />} />}>
          {typeof echoUrl === "string" && !present && (
            <MenuItem icon={<FlaskConical aria-hidden className="size-4" />} onSelect={() => load.mutate(echoUrl)}>
              Load sample jobs
            </MenuItem>
          )}
          {present && (
            <MenuItem icon={<Trash2 aria-hidden className="size-4" />} onSelect={() => remove.mutate()}>
              Remove sample jobs
            </MenuItem>
          )}
        </Menu>
      )}
      <Link to="/jobs/new" className={buttonClass({ look: "primary" })}>
        <Plus aria-hidden className="size-4" />
        New job
      </Link>
    </>
  );
}
