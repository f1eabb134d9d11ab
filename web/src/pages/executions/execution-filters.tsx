import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type RefObject, useState } from "react";
import { reads } from "../../api/reads.ts";
import { useClient } from "../../api/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { instantAt, wallText } from "../../ui/wall-time.ts";
import { useZone } from "../../ui/zone.ts";
import { JobPicker } from "./job-picker.tsx";
import { type ExecutionsSearch, isWindow, TRIGGERS, WINDOWS, type Window } from "./search.ts";

type Change = (changes: { [Name in keyof ExecutionsSearch]?: ExecutionsSearch[Name] | undefined }) => void;

interface Span {
  from: string | undefined;
  to: string | undefined;
  change: Change;
}

/** Which executions are shown; all of it is in the address. */
export function ExecutionFilters({
  search,
  jobName,
  change,
  first,
}: {
  search: ExecutionsSearch;
  /** The job of the address by its name, once that is known. */
  jobName: string | undefined;
  change: Change;
  /** Where "/" puts the focus. */
  first: RefObject<HTMLInputElement | null>;
}) {
  const { job, trigger, tag, from, to, order } = search;
  const isFiltered = [job, trigger, tag, from, to].some((value) => value !== undefined);
  return (
    <search className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-2 md:grid-cols-[minmax(0,16rem)_repeat(4,minmax(0,10rem))_auto]">
        <div className="col-span-2 md:col-span-1">
          <JobPicker
            key={job ?? ""}
            value={jobName ?? job ?? null}
            inputRef={first}
            onChange={(next) => change({ job: next ?? undefined })}
          />
        </div>
        <Select
          aria-label="Trigger"
          value={trigger ?? ""}
          options={[["", "Any trigger"], ...TRIGGERS.map((each) => [each, TRIGGER_TEXT[each]] as const)]}
          onChange={(next) => change({ trigger: next === "" ? undefined : next })}
        />
        <TagSelect tag={tag} onChange={(next) => change({ tag: next })} />
        <When from={from} to={to} change={change} />
        <Select
          aria-label="Order"
          value={order ?? "desc"}
          options={[
            ["desc", "Newest first"],
            ["asc", "Oldest first"],
          ]}
          onChange={(next) => change({ order: next === "asc" ? next : undefined })}
        />
        {isFiltered && (
          <Button
            look="quiet"
            className="justify-self-start"
            icon={<X aria-hidden className="size-4" />}
            onClick={() =>
              change({ job: undefined, trigger: undefined, tag: undefined, from: undefined, to: undefined })
            }
          >
            Clear
          </Button>
        )}
      </div>
      {isBetween(search) && <Between from={from} to={to} change={change} />}
    </search>
  );
}

const TRIGGER_TEXT = { schedule: "By schedule", manual: "Triggered", retry: "Run again" } as const;

function isBetween({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean {
  return to !== undefined || (from !== undefined && !isWindow(from));
}

function When({ from, to, change }: Span) {
  const value = isBetween({ from, to }) ? "between" : isWindow(from) ? from : "";
  const windows = Object.entries(WINDOWS).map(([key, { label }]) => [key as Window, label] as const);
  const choose = (next: "" | "between" | Window) => {
    if (next === "between") {
      const ms = isWindow(from) ? WINDOWS[from].ms : WINDOWS["-1h"].ms;
      change({ from: new Date(Date.now() - ms).toISOString(), to: undefined });
    } else change({ from: next === "" ? undefined : next, to: undefined });
  };
  return (
    <Select
      aria-label="When"
      value={value}
      options={[["", "Any time"], ...windows, ["between", "Between…"]]}
      onChange={choose}
    />
  );
}

function Between({ from, to, change }: Span) {
  return (
    <div className="grid grid-cols-1 gap-2 sm:max-w-xl sm:grid-cols-2">
      <Moment key={`from ${from}`} label="From" value={from} onChange={(next) => change({ from: next })} />
      <Moment key={`to ${to}`} label="Until" value={to} onChange={(next) => change({ to: next })} />
    </div>
  );
}

/** Taken over when it is left or sent: while it is typed the list should not jump about. */
function Moment({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const zone = useZone();
  const known = value === undefined ? "" : wallText(new Date(value), zone);
  const [typed, setTyped] = useState(known);
  const take = () => {
    if (typed !== known) onChange(instantAt(typed, zone)?.toISOString());
  };
  return (
    <Field label={`${label} (${zone})`}>
      {(wiring) => (
        <Input
          {...wiring}
          type="datetime-local"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={take}
          onKeyDown={(event) => event.key === "Enter" && take()}
        />
      )}
    </Field>
  );
}

function TagSelect({ tag, onChange }: { tag: string | undefined; onChange: (tag: string | undefined) => void }) {
  const client = useClient();
  const { data } = useQuery({ ...reads.jobCounts(client, {}), staleTime: 60_000 });
  const known = data?.tags.map((each) => each.tag) ?? [];
  // One that is in the address is offered even if no job has it any more.
  const tags = tag === undefined || known.includes(tag) ? known : [tag, ...known];
  return (
    <Select
      aria-label="Tag"
      value={tag ?? ""}
      options={[["", "Any tag"], ...tags.map((each) => [each, each] as const)]}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}
