import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { FullTime } from "../../ui/time.tsx";
import { AllProjects } from "./all-projects.tsx";
import { DeleteProject, RenameProject } from "./change-project.tsx";

/** Keys from the settings belong to it, so the server lets nobody rename or delete it. */
const FIXED_PROJECT = "default";

export function ProjectSection() {
  const { me, project } = useSession();
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["settings", "project", project.id],
    queryFn: ({ signal }) => client.projects.get(project.id, { signal }),
  });
  const role = me.projects.find(({ id }) => id === project.id)?.role;
  return (
    <>
      <Card title="This project" aside={me.instanceAdmin && project.name !== FIXED_PROJECT && <ChangeThis />}>
        <Facts
          items={[
            [
              "Name",
              <span key="name" className="font-medium">
                {project.name}
              </span>,
            ],
            [
              "Id",
              <span key="id" className="flex items-center gap-1">
                <code className="font-mono text-xs">{project.id}</code>
                <CopyButton text={project.id} label="Copy the id of the project" />
              </span>,
            ],
            ["Created", data ? <FullTime key="created" at={data.createdAt} /> : "–"],
            ["Your part", me.instanceAdmin ? "instance admin: everything, in every project" : (role ?? "–")],
          ]}
        />
        {me.instanceAdmin && project.name === FIXED_PROJECT && (
          <p className="text-muted mt-3">
            This project keeps its name and cannot be deleted: keys from the server’s settings belong to it.
          </p>
        )}
      </Card>
      {me.instanceAdmin && <AllProjects />}
    </>
  );
}

function ChangeThis() {
  const { project } = useSession();
  const [open, setOpen] = useState<"rename" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="flex gap-2">
      <Button size="small" onClick={() => setOpen("rename")}>
        Rename
      </Button>
      <Button size="small" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      {open === "rename" && <RenameProject project={project} onClose={close} />}
      {open === "delete" && <DeleteProject project={project} onClose={close} />}
    </div>
  );
}
