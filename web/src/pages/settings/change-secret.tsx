import { useMutation, useQueryClient } from "@tanstack/react-query";
import { PunctualApiError } from "punctual/client";
import { useClient } from "../../api/session.tsx";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { tell } from "../../ui/toast.tsx";
import { FormDialog } from "./form-dialog.tsx";

/** A new one, or another value for one that there is. What was typed is sent and then gone. */
export function SetSecret({ name: known, onClose }: { name: string | null; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const put = useMutation({
    mutationFn: ({ name, value }: { name: string; value: string }) => client.secrets.put(name, value),
    onSuccess: ({ name, version }) => {
      void queries.invalidateQueries({ queryKey: ["settings", "secrets"] });
      tell(version === 1 ? `The secret ${name} is set.` : `${name} has a new value, version ${version}.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={known === null ? "New secret" : `Another value for ${known}`}
      about="The value is sealed when it arrives, and never shown again. All nodes use it after a second."
      action={known === null ? "Set" : "Replace"}
      doing={put}
      fields={["name", "value"]}
      onSubmit={(values) =>
        put.mutate({ name: known ?? String(values.get("name")), value: String(values.get("value")) })
      }
      onClose={onClose}
    >
      {(problems) => (
        <>
          {known === null && (
            <Field
              label="Name"
              about="Letters, digits and _, not beginning with a digit. One that is there already gets this value."
              error={problems.name}
            >
              {(wiring) => (
                <Input
                  {...wiring}
                  name="name"
                  required
                  pattern="[A-Za-z_][A-Za-z0-9_]{0,127}"
                  placeholder="REPORTS_TOKEN"
                  className="font-mono"
                />
              )}
            </Field>
          )}
          <Field label="Value" about="Exactly as written here, line breaks too." error={problems.value}>
            {(wiring) => (
              <TextArea
                {...wiring}
                name="value"
                required
                rows={3}
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** While jobs use it the server refuses and names them: then it can be deleted all the same, knowing what that does. */
export function DeleteSecret({ name, onClose }: { name: string; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (force: boolean) => client.secrets.delete(name, { force }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["settings", "secrets"] });
      tell(`The secret ${name} is deleted.`);
      onClose();
    },
  });
  const inUse = remove.error instanceof PunctualApiError && remove.error.code === "wrong_state";
  return (
    <FormDialog
      title={`Delete ${name}?`}
      about={
        inUse
          ? "Attempts of these jobs fail from then on, are not retried, and send nothing."
          : "This cannot be undone. If jobs use it, they are named first and nothing is deleted yet."
      }
      action={inUse ? "Delete it all the same" : "Delete"}
      danger
      doing={remove}
      onSubmit={() => remove.mutate(inUse)}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  );
}
