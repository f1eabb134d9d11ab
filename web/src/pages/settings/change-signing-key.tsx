import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SigningKey, SigningKeyInput } from "punctual/client";
import { useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { tell } from "../../ui/toast.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { OVERLAPS, type Overlap } from "./overlaps.ts";

interface OfSigningKey {
  signingKey: SigningKey;
  onClose: () => void;
}

const USES = [
  ["project", "all jobs that name no key"],
  ["named", "only jobs that name it"],
] as const;

export function NewSigningKey({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const done = useDone(onClose);
  const [use, setUse] = useState<SigningKey["use"]>("project");
  const create = useMutation({
    mutationFn: (input: SigningKeyInput) => client.signingKeys.create(input),
    onSuccess: ({ name }) => done(`The signing key ${name} is there.`),
  });
  const submit = (values: FormData) => {
    const secret = String(values.get("secret")).trim();
    create.mutate({ name: String(values.get("name")), use, ...(secret === "" ? {} : { secret }) });
  };
  return (
    <FormDialog
      title="New signing key"
      about="From then on calls carry its signature as well. Receivers need its secret, which an admin can show them."
      action="Create"
      doing={create}
      fields={["name", "use", "secret"]}
      onSubmit={submit}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <Field label="Name" about="Letters, digits and . _ -" error={problems.name}>
            {(wiring) => <Input {...wiring} name="name" required maxLength={128} />}
          </Field>
          <Field label="It signs the calls of" error={problems.use}>
            {(wiring) => <Select {...wiring} options={USES} value={use} onChange={setUse} />}
          </Field>
          <Field
            label="Secret"
            about="May be left out: then a new one is made. Else whsec_ and base64 of 24 to 64 bytes."
            error={problems.secret}
          >
            {(wiring) => <Input {...wiring} name="secret" type="password" autoComplete="off" className="font-mono" />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

export function RotateSigningKey({ signingKey: { id, name }, onClose }: OfSigningKey) {
  const client = useClient();
  const done = useDone(onClose);
  const [overlap, setOverlap] = useState<Overlap>("7d");
  const rotate = useMutation({
    mutationFn: () => client.signingKeys.rotate(id, { overlap }),
    onSuccess: ({ version }) => done(`${name} has version ${version} now. Give its secret to the receivers.`),
  });
  return (
    <FormDialog
      title={`Rotate ${name}`}
      about="The next version has a secret of its own. While both sign, receivers may have either: change them in any order."
      action="Rotate"
      doing={rotate}
      fields={["overlap"]}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      {(problems) => (
        <Field
          label="Both sign for"
          about={overlap === "0s" ? "Receivers that have only the old secret refuse calls from now on." : undefined}
          error={problems.overlap}
        >
          {(wiring) => <Select {...wiring} options={OVERLAPS} value={overlap} onChange={setOverlap} />}
        </Field>
      )}
    </FormDialog>
  );
}

export function DeleteSigningKey({ signingKey: { id, name, version }, onClose }: OfSigningKey) {
  const client = useClient();
  const done = useDone(onClose);
  const remove = useMutation({
    mutationFn: () => client.signingKeys.delete(id),
    onSuccess: () => done(`Version ${version} of ${name} is deleted.`),
  });
  return (
    <FormDialog
      title={`Delete version ${version} of ${name}?`}
      about="Receivers that verify with this version refuse calls from then on. What no call can do without is not deleted."
      action="Delete"
      danger
      doing={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  );
}

function useDone(onClose: () => void) {
  const queries = useQueryClient();
  return (said: string) => {
    void queries.invalidateQueries({ queryKey: ["settings", "signing-keys"] });
    tell(said);
    onClose();
  };
}
