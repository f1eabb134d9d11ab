import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NewApiKey, Scope } from "punctual/client";
import { useId, useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Checkbox, Field, Input, Select } from "../../ui/field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { MadeKey } from "./made-key.tsx";

const SCOPES: readonly (readonly [scope: Scope, may: string])[] = [
  ["read", "look at jobs, executions and figures"],
  ["operate", "trigger, pause, resume, retry, cancel; and read"],
  ["write", "save and delete jobs and secrets; and operate"],
  ["work", "be a worker: take executions and hand in results"],
  ["metrics", "read the metrics of the nodes"],
  ["admin", "see to keys, members and the audit; and all of the above"],
];

const LIVES = [
  ["never", "never"],
  ["1d", "after a day"],
  ["7d", "after a week"],
  ["30d", "after 30 days"],
  ["90d", "after 90 days"],
  ["365d", "after a year"],
] as const;

export function NewKey({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const { me } = useSession();
  const [life, setLife] = useState<(typeof LIVES)[number][0]>("never");
  const create = useMutation({
    mutationFn: (input: NewApiKey) => client.apiKeys.create(input),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["settings", "api-keys"] }),
  });
  if (create.data) return <MadeKey made={create.data} onClose={onClose} />;
  const submit = (values: FormData) =>
    create.mutate({
      name: String(values.get("name")),
      scopes: values.getAll("scopes") as Scope[],
      instanceAdmin: values.has("instanceAdmin"),
      ...(life === "never" ? {} : { expiresIn: life }),
    });
  return (
    <FormDialog
      title="New API key"
      about="For one program each: then it can be told who did what, and one can be revoked without the others."
      action="Create"
      doing={create}
      fields={["name", "scopes", "expiresIn"]}
      onSubmit={submit}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <Field
            label="Name"
            about="What it is for. It is shown as who did what is done with it."
            error={problems.name}
          >
            {(wiring) => <Input {...wiring} name="name" required maxLength={128} placeholder="billing service" />}
          </Field>
          <Scopes problem={problems.scopes} />
          {me.instanceAdmin && (
            <Checkbox
              name="instanceAdmin"
              label="Instance admin: sees to nodes and projects, and acts in every project. Needs admin."
            />
          )}
          <Field label="It ends" error={problems.expiresIn}>
            {(wiring) => <Select {...wiring} options={LIVES} value={life} onChange={setLife} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function Scopes({ problem }: { problem: string | undefined }) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={problem === undefined ? undefined : id}>
      <legend className="mb-1 font-medium">What it may do</legend>
      {SCOPES.map(([scope, may]) => (
        <Checkbox
          key={scope}
          name="scopes"
          value={scope}
          defaultChecked={scope === "read"}
          label={
            <>
              <span className="font-medium">{scope}</span> <span className="text-muted">{may}</span>
            </>
          }
        />
      ))}
      {problem !== undefined && (
        <p id={id} role="alert" className="text-bad text-xs">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
