import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Attempt, type Execution, PunctualApiError } from "punctual/client";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { Waterfall } from "../../charts/waterfall.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Code, CopyButton } from "../../ui/copy.tsx";
import { Empty, Failure, Loading } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { present } from "../../ui/search-values.ts";
import { ExecutionStateBadge } from "../../ui/state-badge.tsx";
import { FullTime } from "../../ui/time.tsx";
import { shortText, useZone } from "../../ui/zone.ts";
import { isFinal } from "../executions/filter.ts";
import { readProgress } from "../executions/why.ts";
import { AttemptDetail } from "./attempt-detail.tsx";
import { curlOf } from "./curl.ts";
import { ExecutionActions } from "./execution-actions.tsx";
import { ExecutionFacts } from "./execution-facts.tsx";
import { LogCard } from "./log-card.tsx";
import { Related } from "./related.tsx";
import { Verdict } from "./verdict.tsx";

const route = getRouteApi("/executions/$id");

/** One execution: what became of it and why, attempt by attempt. */
export function ExecutionPage() {
  const { id } = route.useParams();
  const client = useClient();
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...reads.execution(client, id),
    // What is final stays as it is: events about others need not read it again.
    staleTime: ({ state }) => (state.data && isFinal(state.data.state) ? "static" : 5_000),
    enabled: ({ state }) => !isMissing(state.error),
  });
  if (data !== undefined && !isPlaceholderData) return <Found key={id} execution={data} />;
  return (
    <Page title="Execution">
      <Card>
        {error === null ? (
          <Loading rows={8} />
        ) : isMissing(error) ? (
          <Missing />
        ) : (
          <Failure error={error} retry={() => void refetch()} />
        )}
      </Card>
    </Page>
  );
}

/** Also when what stands in the address is no id at all. */
function isMissing(error: Error | null): boolean {
  return error instanceof PunctualApiError && (error.status === 404 || error.status === 400);
}

function Missing() {
  return (
    <Empty title="There is no execution with this id.">
      <p>
        Executions that ended are kept for as long as the instance is set to (PUNCTUAL_RETENTION, 30 days unless it says
        otherwise) and then removed. It may also belong to another project.
      </p>
      <Link to="/executions" className={buttonClass()}>
        All executions
      </Link>
    </Empty>
  );
}

function Found({ execution }: { execution: Execution }) {
  const zone = useZone();
  const { attempt: wanted, level } = route.useSearch();
  const navigate = route.useNavigate();
  const attempts = execution.attempts ?? [];
  const attempt = attempts.find(({ number }) => number === wanted) ?? attempts.at(-1);
  const target = useTarget(execution, attempt);
  const show = (search: { attempt?: number; level?: typeof level | undefined }) =>
    void navigate({ search: (before) => present({ ...before, ...search }), replace: true, resetScroll: false });
  const curl =
    attempt && target?.type === "http" ? (
      <CopyButton label="Copy as curl: the call of this attempt" text={curlOf(target, { execution, attempt })}>
        Copy as curl
      </CopyButton>
    ) : undefined;
  const hasLog = execution.logLines > 0 || target?.type === "worker" || target?.type === "shell";
  return (
    <Page
      title={`${execution.jobName}, ${shortText(new Date(execution.scheduledAt), zone)}`}
      heading={<Heading execution={execution} />}
      about={<FullTime at={execution.scheduledAt} />}
      actions={<ExecutionActions execution={execution} />}
    >
      <Verdict execution={execution} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Attempts">
            {attempts.length > 0 ? (
              <Waterfall
                execution={execution}
                chosen={attempt?.number}
                onChoose={(number) => show({ attempt: number })}
              />
            ) : (
              <p className="text-muted">
                {isFinal(execution.state) ? "It never started, so there is none." : "It has not started yet."}
              </p>
            )}
          </Card>
          {attempt && <AttemptDetail attempt={attempt} execution={execution} aside={curl} />}
          {hasLog && (
            <LogCard
              executionId={execution.id}
              level={level ?? "debug"}
              onLevel={(next) => show({ level: next === "debug" ? undefined : next })}
            />
          )}
          <DataCards execution={execution} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ExecutionFacts execution={execution} />
          <Related execution={execution} />
        </div>
      </div>
    </Page>
  );
}

function Heading({ execution: { jobId, jobName, state } }: { execution: Execution }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to="/jobs/$job" params={{ job: jobId }} className="underline-offset-4 hover:underline">
        {jobName}
      </Link>
      <ExecutionStateBadge state={state} />
    </span>
  );
}

/** Where the attempt went, by the version of the job that it was made with. */
function useTarget({ jobId, jobVersion }: Execution, attempt: Attempt | undefined) {
  const client = useClient();
  const version = attempt?.jobVersion ?? jobVersion;
  const { data } = useQuery({
    queryKey: ["job", jobId, "version", version],
    queryFn: ({ signal }) => client.jobs.version(jobId, version, { signal }),
    staleTime: "static",
  });
  return data?.version === version ? data.spec.target : undefined;
}

function DataCards({ execution: { payload, result, progress } }: { execution: Execution }) {
  return (
    <>
      {payload !== undefined && (
        <Card title="Payload">
          <Code label="payload" text={JSON.stringify(payload, null, 2)} wrap />
        </Card>
      )}
      {result !== undefined && result !== null && (
        <Card title="Result">
          <Code label="result" text={JSON.stringify(result, null, 2)} wrap />
        </Card>
      )}
      {/* The usual kind of progress is told in words, above and among the facts. */}
      {progress !== null && readProgress(progress) === null && (
        <Card title="Progress">
          <Code label="progress" text={JSON.stringify(progress, null, 2)} wrap />
        </Card>
      )}
    </>
  );
}
