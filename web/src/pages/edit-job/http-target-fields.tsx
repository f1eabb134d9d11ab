import { useQuery } from "@tanstack/react-query";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { useDraft, useField } from "./draft-context.tsx";
import { ChoiceField, JsonField, ListField, TextField } from "./draft-fields.tsx";
import { valueAt, withValue } from "./job-draft.ts";
import { More } from "./more.tsx";
import { PairsField } from "./pairs-field.tsx";
import { PayloadField } from "./payload-field.tsx";
import { RadioSegments } from "./radio-segments.tsx";
import { TargetTest } from "./target-test.tsx";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const HEADER_NAMES = ["accept", "authorization", "content-type", "x-api-key"];

export function HttpTargetFields() {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
        <ChoiceField path="target.method" label="Method" options={METHODS.map((method) => [method, method] as const)} />
        <TextField path="target.url" label="URL" placeholder="https://api.example.com/reports" mono keepEmpty />
      </div>
      <EchoSuggestion />
      <PairsField
        path="target.headers"
        label="Headers"
        noun="header"
        suggestions={HEADER_NAMES}
        about="A secret is written {{secrets.NAME}}; a value of the payload {{payload.name}}."
      />
      <PairsField path="target.query" label="Query parameters" noun="parameter" />
      <BodyFields />
      <PayloadField />
      <More
        title="Time limits, success and signature"
        paths={["timeout", "connectTimeout", "successOn", "completion", "signingKey"].map((field) => `target.${field}`)}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField path="target.timeout" label="Time limit of the call" about="Such as 10s or 2m." />
          <TextField path="target.connectTimeout" label="Time limit to connect" />
          <ListField path="target.successOn" label="Success is" about="Statuses, such as 2xx, 204 or 304." />
          <ChoiceField
            path="target.completion"
            label="It is finished"
            options={[
              ["response", "When the call is answered"],
              ["callback", "When the called program reports back"],
            ]}
            about="To report back, answer 202 and call the address in punctual-callback-url later."
          />
          <SigningKeyField />
        </div>
      </More>
      <TargetTest />
    </>
  );
}

/** Where calls are answered for trying things out, if the server has such a place. */
function EchoSuggestion() {
  const client = useClient();
  const { written, change } = useField("target.url");
  const { data } = useQuery(reads.health(client));
  const echo = data?.echoUrl;
  if (typeof echo !== "string" || (written !== "" && written !== undefined)) return null;
  return (
    <p className="text-muted -mt-2 flex flex-wrap items-center gap-2">
      Nothing to call yet?
      <Button size="small" onClick={() => change(echo)}>
        Use {echo}
      </Button>
      which answers every call.
    </p>
  );
}

const BODIES = [
  ["payload", "The payload"],
  ["json", "JSON"],
  ["text", "Text"],
] as const;
type BodyKind = (typeof BODIES)[number][0];

/** What the call carries. */
function BodyFields() {
  const { draft, change } = useDraft();
  const method = useField("target.method").value;
  const text = useField("target.bodyText");
  const kind: BodyKind =
    valueAt(draft, "target.body") !== undefined ? "json" : text.written !== undefined ? "text" : "payload";
  const choose = (next: BodyKind) => {
    const without = withValue(withValue(draft, "target.body", undefined), "target.bodyText", undefined);
    const path = next === "json" ? "target.body" : "target.bodyText";
    const begun = next === "payload" ? without : withValue(without, path, next === "json" ? {} : "");
    change("target", begun.target);
  };
  // What the JSON has stays to be seen, and to be taken out.
  if (method === "GET" && kind === "payload") return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <span className="font-medium">Body</span>
        <RadioSegments label="Body" options={BODIES} value={kind} onChange={choose} />
      </div>
      {kind === "json" && (
        <JsonField
          path="target.body"
          label="Body as JSON"
          about="A text that is just {{payload.name}} becomes that value, whatever its type."
        />
      )}
      {kind === "text" && (
        <Field label="Body as text" error={text.problem} about="Say in a content-type header what it is.">
          {(wiring) => (
            <TextArea
              {...wiring}
              className="font-mono !text-xs"
              spellCheck={false}
              value={typeof text.value === "string" ? text.value : ""}
              onChange={({ target }) => text.change(target.value)}
            />
          )}
        </Field>
      )}
    </div>
  );
}

function SigningKeyField() {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["settings", "signing keys to choose from"],
    queryFn: ({ signal }) => client.signingKeys.list({ signal }),
  });
  const names = [...new Set(data?.items.map(({ name }) => name))];
  return (
    <TextField
      path="target.signingKey"
      label="Signing key"
      placeholder="all keys of the project"
      suggestions={names}
      about="Calls are signed, so that whoever is called can tell that they come from here."
    />
  );
}
