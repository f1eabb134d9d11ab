import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useClient, useMay } from "../../api/session.tsx";
import { Card } from "../../ui/card.tsx";
import { Failure, Loading, NoPermission } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { LOCAL_ZONE } from "../../ui/zone.ts";
import { FormOrJson } from "./form-or-json.tsx";
import { copyOf, newDraft } from "./job-draft.ts";
import { JobForm } from "./job-form.tsx";

export function NewJobPage() {
  const { like, as } = useSearch({ from: "/jobs/new" });
  const may = useMay("write");
  if (!may)
    return (
      <Page title="New job">
        <Card>
          <NoPermission what="making jobs" />
        </Card>
      </Page>
    );
  return (
    <Page title="New job" actions={<FormOrJson asJson={as === "json"} />}>
      {like === undefined ? (
        <BlankForm asJson={as === "json"} />
      ) : (
        <CopyForm key={like} like={like} asJson={as === "json"} />
      )}
    </Page>
  );
}

function BlankForm({ asJson }: { asJson: boolean }) {
  const start = useMemo(() => newDraft(LOCAL_ZONE), []);
  return <JobForm start={start} job={null} asJson={asJson} />;
}

function CopyForm({ like, asJson }: { like: string; asJson: boolean }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["job", like, "edit"],
    queryFn: ({ signal }) => client.jobs.get(like, { signal }),
  });
  if (data !== undefined) return <JobForm start={copyOf(data)} job={null} asJson={asJson} />;
  return <Card>{error === null ? <Loading rows={8} /> : <Failure error={error} retry={() => void refetch()} />}</Card>;
}
