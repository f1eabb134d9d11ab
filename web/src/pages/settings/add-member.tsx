import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NewMember, Role } from "punctual/client";
import { useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { tell } from "../../ui/toast.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { ROLE_CHOICES } from "./roles.ts";
import { ShownOnce } from "./shown-once.tsx";

/** For somebody who is new here the answer has a link, which is shown once. */
export function AddMember({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const { me } = useSession();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>("viewer");
  const add = useMutation({
    mutationFn: (input: NewMember) => client.members.add(input),
    onSuccess: ({ email, link }) => {
      void queries.invalidateQueries({ queryKey: ["settings", "members"] });
      if (link !== null) return;
      tell(`${email} is a member now.`);
      onClose();
    },
  });
  if (add.data?.link)
    return (
      <ShownOnce
        title={`Invite ${add.data.email}`}
        warning="Hand this link on yourself: Punctual sends no mail. Whoever opens it first chooses the password. It works once, within seven days, and is not shown again."
        label="the invitation link"
        text={add.data.link}
        onClose={onClose}
      />
    );
  const submit = (values: FormData) => {
    const [email, name] = [String(values.get("email")), String(values.get("name"))];
    add.mutate({ email, role, ...(name === "" ? {} : { name }) });
  };
  return (
    <FormDialog
      title="Add somebody"
      about={
        me.instanceAdmin
          ? "Somebody who is new here gets a link, by which they choose a password."
          : "Those who have an account here already. An instance admin brings in who is new, unless people sign in with your organisation’s accounts."
      }
      action="Add"
      doing={add}
      fields={["email", "name", "role"]}
      onSubmit={submit}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <Field label="E-mail" error={problems.email}>
            {(wiring) => <Input {...wiring} name="email" type="email" required maxLength={254} />}
          </Field>
          <Field label="Name" about="May be left out: then it is the address before the @." error={problems.name}>
            {(wiring) => <Input {...wiring} name="name" maxLength={128} />}
          </Field>
          <Field label="Role" error={problems.role}>
            {(wiring) => <Select {...wiring} options={ROLE_CHOICES} value={role} onChange={setRole} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}
