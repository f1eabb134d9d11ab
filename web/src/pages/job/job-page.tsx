import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Job, PunctualApiError } from "punctual/client";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty, errorText, Failure, Loading, Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { JobStateBadge } from "../../ui/state-badge.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { CodeTab } from "./code-tab.tsx";
import { DefinitionTab } from "./definition-tab.tsx";
import { ExecutionsTab } from "./executions-tab.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobBanners } from "./job-banners.tsx";
import { JobSummary, TagLinks } from "./job-summary.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { JOB_PAGE_TABS, type JobPageTab } from "./search.ts";
import { VersionsTab } from "./versions-tab.tsx";

const route = getRouteApi("/jobs/$job");

const TABS: Record<JobPageTab, { label: string; Content: (props: { job: Job }) => React.ReactNode }> = {
  overview: { label: "Overview", Content: OverviewTab },
  executions: { label: "Executions", Content: ExecutionsTab },
  versions: { label: "Versions", Content: VersionsTab },
  definition: { label: "Definition", Content: DefinitionTab },
  code: { label: "Code", Content: CodeTab },
};

export function JobPage() {
  const { job } = route.useParams();
  // Anew for another job: one job is never shown under the address of another.
  return <JobCalled key={job} called={job} />;
}

function JobCalled({ called }: { called: string }) {
  const client = useClient();
  const { data, error, refetch } = useQuery(reads.job(client, called));
  if (data !== undefined) return <JobView job={data} error={error} />;
  if (isGone(error)) return <NoSuchJob called={called} />;
  return (
    <Page title={called}>
      {error === null ? <Loading rows={8} /> : <Failure error={error} retry={() => void refetch()} />}
    </Page>
  );
}

function JobView({ job, error }: { job: Job; error: Error | null }) {
  const { tab = "overview" } = route.useSearch();
  const { Content } = TABS[tab];
  const heading = (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {job.name}
      <JobStateBadge state={job.state} />
    </span>
  );
  return (
    <Page
      title={job.name}
      heading={heading}
      actions={isGone(error) ? undefined : <JobActions job={job} />}
      about={job.description === "" && job.tags.length === 0 ? undefined : <About job={job} />}
    >
      {error !== null && <Outdated job={job} error={error} />}
      <JobBanners job={job} />
      <JobSummary job={job} />
      <Tabs
        label="Parts of the job"
        tabs={JOB_PAGE_TABS.map((each) => ({
          label: TABS[each].label,
          current: each === tab,
          search: each === "overview" ? {} : { tab: each },
        }))}
      />
      <Content job={job} />
    </Page>
  );
}

function About({ job: { description, tags } }: { job: Job }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {description !== "" && <p className="max-w-prose whitespace-pre-line [overflow-wrap:anywhere]">{description}</p>}
      <TagLinks tags={tags} />
    </div>
  );
}

/** What is shown was read before; it stays, and says so. */
function Outdated({ job, error }: { job: Job; error: Error }) {
  if (!isGone(error)) return <Notice tone="bad">What is shown may be old: {errorText(error)}</Notice>;
  return (
    <Notice tone="warn" role="status">
      This job was deleted or renamed while you looked at it.{" "}
      <Link to="/jobs/$job" params={{ job: job.id }} className="text-accent underline">
        See what is left of it
      </Link>
    </Notice>
  );
}

function NoSuchJob({ called }: { called: string }) {
  return (
    <Page title={called}>
      <Empty title={`There is no job called “${called}”.`}>
        <p>It may have been renamed or deleted. A deleted job can still be read, with its history.</p>
        <div className="flex flex-wrap justify-center gap-2">
          <Link to="/jobs" className={buttonClass()}>
            All jobs
          </Link>
          <Link to="/jobs" search={{ state: "deleted" }} className={buttonClass()}>
            Deleted jobs
          </Link>
        </div>
      </Empty>
    </Page>
  );
}

function isGone(error: Error | null): boolean {
  return error instanceof PunctualApiError && error.status === 404;
}
