import { LinesField, ListField, TextField } from "./draft-fields.tsx";
import { More } from "./more.tsx";
import { PairsField } from "./pairs-field.tsx";
import { PayloadField } from "./payload-field.tsx";

/** A command on the machine of the node that runs it. */
export function ShellTargetFields() {
  return (
    <>
      <TextField
        path="target.command"
        label="Program"
        placeholder="/usr/local/bin/report"
        about="A path, or a name found on PATH. Nodes refuse commands unless their operator turned them on."
        mono
        keepEmpty
      />
      <LinesField
        path="target.args"
        label="Arguments"
        about="One on each line, handed over as they stand: no shell reads them."
      />
      <PairsField
        path="target.env"
        label="Environment"
        noun="variable"
        about="A secret is written {{secrets.NAME}}; a value of the payload {{payload.name}}."
      />
      <PayloadField />
      <More title="Folder, user and success" paths={["target.cwd", "target.user", "target.successOn"]}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField path="target.cwd" label="Folder it runs in" mono />
          <TextField path="target.user" label="User it runs as" about="One that the operator allows." />
          <ListField path="target.successOn" label="Success is" about="Exit codes." numbers />
        </div>
      </More>
    </>
  );
}
