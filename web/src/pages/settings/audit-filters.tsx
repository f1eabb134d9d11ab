import { useNavigate, useSearch } from "@tanstack/react-router";
import { useSession } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox, Field, Input, Select } from "../../ui/field.tsx";
import { present } from "../../ui/search-values.ts";
import type { SettingsSearch } from "./search.ts";

/** The first part of an action stands for all of its kind. */
const ACTIONS: readonly (readonly [value: string, label: string])[] = [
  ["", "everything"],
  ["job,jobs", "jobs"],
  ["execution,executions,dead_letters", "executions"],
  ["worker", "workers"],
  ["target", "test calls"],
  ["secret", "secrets"],
  ["signing_key", "signing keys"],
  ["api_key", "API keys"],
  ["member", "members"],
  ["project", "projects"],
  ["session,account", "signing in and accounts"],
];

/** They stand in the address, so that what was found can be passed on. */
export function AuditFilters() {
  const { me } = useSession();
  const search = useSearch({ from: "/settings/$section" });
  const navigate = useNavigate();
  const set = (change: Partial<Record<keyof SettingsSearch, string | true | undefined>>) =>
    void navigate({ to: ".", search: present({ ...search, ...change }) as never, replace: true, resetScroll: false });
  const action = search.action ?? "";
  const known = ACTIONS.some(([value]) => value === action);
  return (
    <div className="border-line grid grid-cols-2 gap-3 border-b p-4 md:grid-cols-5">
      <Written label="Who" value={search.actor} placeholder="name or id" onChange={(actor) => set({ actor })} />
      <Field label="About">
        {(wiring) => (
          <Select
            {...wiring}
            options={known ? ACTIONS : [...ACTIONS, [action, action] as const]}
            value={action}
            onChange={(value) => set({ action: value || undefined })}
          />
        )}
      </Field>
      <Written label="To what" value={search.object} placeholder="name or id" onChange={(object) => set({ object })} />
      <Written label="From day" type="date" value={search.from} onChange={(from) => set({ from })} />
      <Written label="To day" type="date" value={search.to} onChange={(to) => set({ to })} />
      {(me.instanceAdmin || Object.keys(search).length > 0) && (
        <div className="col-span-full flex flex-wrap items-center justify-between gap-2">
          {me.instanceAdmin && (
            <Checkbox
              label="Of the instance: signing in, projects and what else belongs to no project"
              checked={search.instance ?? false}
              onChange={(event) => set({ instance: event.target.checked || undefined })}
            />
          )}
          {Object.keys(search).some((key) => key !== "project") && (
            <Button
              size="small"
              look="quiet"
              onClick={() =>
                set({
                  actor: undefined,
                  action: undefined,
                  object: undefined,
                  from: undefined,
                  to: undefined,
                  instance: undefined,
                })
              }
            >
              Clear the filters
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** It counts when it is finished: not at each letter. */
function Written({
  label,
  value = "",
  onChange,
  ...rest
}: {
  label: string;
  value?: string | undefined;
  type?: "date";
  placeholder?: string;
  onChange: (value: string | undefined) => void;
}) {
  const take = (written: string) => {
    const next = written.trim();
    if (next !== value) onChange(next === "" ? undefined : next);
  };
  return (
    <Field label={label}>
      {(wiring) => (
        <Input
          {...rest}
          {...wiring}
          key={value}
          defaultValue={value}
          maxLength={300}
          onBlur={(event) => take(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && take(event.currentTarget.value)}
          {...(rest.type === "date" ? { onChange: (event) => take(event.target.value) } : {})}
        />
      )}
    </Field>
  );
}
