import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Member, Role } from "punctual/client";
import { useState } from "react";
import { useClient, useSession } from "../../api/session.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { tell } from "../../ui/toast.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { ROLE_CHOICES } from "./roles.ts";

interface OfMember {
  member: Member;
  onClose: () => void;
}

export function ChangeRole({ member, onClose }: OfMember) {
  const client = useClient();
  const done = useDone(member, onClose);
  const [role, setRole] = useState<Role>(member.role);
  const change = useMutation({
    mutationFn: () => client.members.change(member.id, { role }),
    onSuccess: () => done(`${member.name} is ${role} now.`),
  });
  const doing = { isPending: change.isPending, error: change.error };
  return (
    <FormDialog
      title={`The role of ${member.name}`}
      about="It holds at once, on all nodes."
      action="Change"
      doing={doing}
      fields={["role"]}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <IfOneself member={member} />
          <Field label="Role" error={problems.role}>
            {(wiring) => <Select {...wiring} options={ROLE_CHOICES} value={role} onChange={setRole} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

export function RemoveMember({ member, onClose }: OfMember) {
  const client = useClient();
  const { project } = useSession();
  const done = useDone(member, onClose);
  const remove = useMutation({
    mutationFn: () => client.members.remove(member.id),
    onSuccess: () => done(`${member.name} is not a member any more.`),
  });
  return (
    <FormDialog
      title={`Remove ${member.name}?`}
      about={`${member.email} has no part in ${project.name} any more, at once and on all nodes. The account stays.`}
      action="Remove"
      danger
      doing={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <IfOneself member={member} />
    </FormDialog>
  );
}

/** Whoever takes their own rights away cannot give them back. */
function IfOneself({ member }: { member: Member }) {
  const { me } = useSession();
  if (member.email !== me.name || me.instanceAdmin) return null;
  return <Notice tone="warn">This is you. Another admin would have to undo it.</Notice>;
}

/** One's own rights are read anew with the page. */
function useDone({ email }: Member, onClose: () => void) {
  const { me } = useSession();
  const queries = useQueryClient();
  return (said: string) => {
    if (email === me.name && !me.instanceAdmin) return location.reload();
    void queries.invalidateQueries({ queryKey: ["settings", "members"] });
    tell(said);
    onClose();
  };
}
