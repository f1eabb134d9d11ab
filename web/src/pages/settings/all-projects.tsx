import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { Project } from "punctual/client";
import { useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { tell } from "../../ui/toast.tsx";
import { openProject, PROJECT_NAME } from "./change-project.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { ListTable, useList } from "./list.tsx";

/** For those who see to the instance: all that there are. */
export function AllProjects() {
  const { project } = useSession();
  const client = useClient();
  const list = useList<Project>("projects-all", (query, options) => client.projects.list(query, options));
  const [creating, setCreating] = useState(false);
  const columns: Column<Project>[] = [
    {
      key: "name",
      header: "Name",
      cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span>,
    },
    { key: "created", header: "Created", className: "w-32", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: "open",
      header: <span className="sr-only">Open</span>,
      className: "w-28 text-right",
      cell: ({ id, name }) =>
        id === project.id ? (
          <span className="text-muted text-xs">shown now</span>
        ) : (
          <Button size="small" aria-label={`Open ${name}`} onClick={() => openProject(name)}>
            Open
          </Button>
        ),
    },
  ];
  return (
    <Card
      title="All projects"
      flush
      aside={
        <Button size="small" icon={<Plus aria-hidden className="size-3.5" />} onClick={() => setCreating(true)}>
          New project
        </Button>
      }
    >
      <ListTable
        list={list}
        label="Projects"
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="There are no projects." />}
      />
      {creating && <NewProject onClose={() => setCreating(false)} />}
    </Card>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (name: string) => client.projects.create({ name }),
    onSuccess: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ["settings"] });
      tell(`The project ${name} is there. Open it to add members and jobs.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="New project"
      about="A project has jobs, members, keys and secrets of its own."
      action="Create"
      doing={create}
      fields={["name"]}
      onSubmit={(values) => create.mutate(String(values.get("name")))}
      onClose={onClose}
    >
      {(problems) => (
        <Field label="Name" about={PROJECT_NAME} error={problems.name}>
          {(wiring) => <Input {...wiring} name="name" required maxLength={128} />}
        </Field>
      )}
    </FormDialog>
  );
}
