import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { FormDialog } from "./form-dialog.tsx";

interface Named {
  id: string;
  name: string;
}

export const PROJECT_NAME = "Letters, digits and . _ -, up to 128.";

/** Everything on the page belongs to one project: with another, or another name, it begins anew. */
export function openProject(name: string | null, path = "/"): void {
  location.assign(name === null ? path : `${path}?project=${encodeURIComponent(name)}`);
}

export function RenameProject({ project, onClose }: { project: Named; onClose: () => void }) {
  const client = useClient();
  const rename = useMutation({
    mutationFn: (name: string) => client.projects.rename(project.id, name),
    onSuccess: ({ name }) => openProject(name, location.pathname),
  });
  return (
    <FormDialog
      title={`Rename ${project.name}`}
      about="Whoever names the project by its old name, in an address or a header, has to use the new one. Keys go on working."
      action="Rename"
      doing={rename}
      fields={["name"]}
      onSubmit={(values) => rename.mutate(String(values.get("name")))}
      onClose={onClose}
    >
      {(problems) => (
        <Field label="New name" about={PROJECT_NAME} error={problems.name}>
          {(wiring) => <Input {...wiring} name="name" required maxLength={128} defaultValue={project.name} />}
        </Field>
      )}
    </FormDialog>
  );
}

export function DeleteProject({ project, onClose }: { project: Named; onClose: () => void }) {
  const client = useClient();
  const [typed, setTyped] = useState("");
  const [wrong, setWrong] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.projects.delete(project.id),
    onSuccess: () => openProject(null),
  });
  return (
    <FormDialog
      title={`Delete ${project.name}`}
      about="Its keys are revoked at once and nobody can open it any more. It has to be without jobs."
      action="Delete the project"
      danger
      doing={remove}
      onSubmit={() => (typed === project.name ? remove.mutate() : setWrong(true))}
      onClose={onClose}
    >
      <Field
        label={
          <>
            Type <code className="font-mono">{project.name}</code> to confirm
          </>
        }
        error={wrong && typed !== project.name ? `That is not ${project.name}.` : null}
      >
        {(wiring) => <Input {...wiring} required value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}
