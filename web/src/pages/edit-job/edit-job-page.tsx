import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { Job } from "punctual/client";
import { useClient, useMay } from "../../api/session.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Empty, Failure, Loading, NoPermission, Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { FormOrJson } from "./form-or-json.tsx";
import { draftOf } from "./job-draft.ts";
import { JobForm } from "./job-form.tsx";

export function EditJobPage() {
  const { job: id } = useParams({ from: "/jobs/$job/edit" });
  const { as } = useSearch({ from: "/jobs/$job/edit" });
  const may = useMay("write");
  const client = useClient();
  const {
    data: read,
    error,
    refetch,
    isPlaceholderData,
  } = useQuery({
    queryKey: ["job", id, "edit"],
    queryFn: ({ signal }) => client.jobs.get(id, { signal }),
    enabled: may,
  });
  // What is still shown of the job before is not this one.
  const data = isPlaceholderData ? undefined : read;
  const title = data === undefined ? "Edit job" : `Edit ${data.name}`;
  const editable = may && data !== undefined && data.state !== "deleted";
  return (
    <Page title={title} actions={editable ? <FormOrJson asJson={as === "json"} /> : undefined}>
      {editable ? (
        <>
          <SourceNotice job={data} />
          <JobForm key={data.id} start={draftOf(data)} job={data} asJson={as === "json"} />
        </>
      ) : (
        <Card>
          {!may && <NoPermission what="changing jobs" />}
          {may && data === undefined && error === null && <Loading rows={8} />}
          {may && data === undefined && error !== null && <Failure error={error} retry={() => void refetch()} />}
          {data?.state === "deleted" && <Deleted job={data} />}
        </Card>
      )}
    </Page>
  );
}

/** A declaration elsewhere has the last word. */
function SourceNotice({ job }: { job: Job }) {
  if (job.source === null) return null;
  return (
    <Notice tone="warn">
      This job is declared in <code className="font-mono text-xs font-semibold">{job.source}</code>. What you change
      here holds until that declaration is applied again, which may overwrite it. To change it for good, change the
      declaration.
      {job.drifted && " It has been changed by hand before, and differs from its declaration already."}
    </Notice>
  );
}

function Deleted({ job }: { job: Job }) {
  return (
    <Empty title={`${job.name} was deleted.`}>
      <p>It cannot be changed any more, but a new one can be made like it.</p>
      <Link to="/jobs/new" search={{ like: job.id }} className={buttonClass()}>
        Make a copy
      </Link>
    </Empty>
  );
}
