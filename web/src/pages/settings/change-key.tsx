import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "punctual/client";
import { useState } from "react";
import { useClient } from "../../api/session.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { tell } from "../../ui/toast.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { MadeKey } from "./made-key.tsx";
import { OVERLAPS, type Overlap } from "./overlaps.ts";

interface OfKey {
  apiKey: ApiKey;
  onClose: () => void;
}

export function RotateKey({ apiKey, onClose }: OfKey) {
  const client = useClient();
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>("24h");
  const rotate = useMutation({
    mutationFn: () => client.apiKeys.rotate(apiKey.id, { overlap }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["settings", "api-keys"] }),
  });
  if (rotate.data) return <MadeKey made={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      about="A new key with the same rights. Give it to the program before the old one ends."
      action="Rotate"
      doing={rotate}
      fields={["overlap"]}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      {(problems) => (
        <Field label="Both are valid for" error={problems.overlap}>
          {(wiring) => <Select {...wiring} options={OVERLAPS} value={overlap} onChange={setOverlap} />}
        </Field>
      )}
    </FormDialog>
  );
}

export function RevokeKey({ apiKey, onClose }: OfKey) {
  const client = useClient();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => client.apiKeys.delete(apiKey.id),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["settings", "api-keys"] });
      tell(`The key ${apiKey.name} is revoked.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Revoke ${apiKey.name}?`}
      about="Whatever still uses it is refused from now on, on all nodes. This cannot be undone."
      action="Revoke"
      danger
      doing={revoke}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  );
}
