import { useMutation } from "@tanstack/react-query";
import type { SigningKey } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "./form-dialog.tsx";

/** Asked for only when somebody says that they want to see it: that is written into the audit. */
export function RevealSigningKey({ signingKey, onClose }: { signingKey: SigningKey; onClose: () => void }) {
  const client = useClient();
  const { id, name, version } = signingKey;
  const reveal = useMutation({ mutationFn: () => client.signingKeys.secret(id), gcTime: 0 });
  const title = `The secret of ${name}, version ${version}`;
  if (reveal.data !== undefined)
    return (
      <Dialog open onClose={onClose} title={title} about="For those who verify calls, and nobody else.">
        <Code text={reveal.data} label="the secret" wrap />
      </Dialog>
    );
  return (
    <FormDialog
      title={title}
      about="Whoever has it can sign calls that look as if they came from here. That you looked at it is written into the audit."
      action="Show it"
      doing={reveal}
      onSubmit={() => reveal.mutate()}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  );
}
