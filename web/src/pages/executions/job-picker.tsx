import { Combobox } from "@base-ui/react/combobox";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, X } from "lucide-react";
import { type RefObject, useDeferredValue, useState } from "react";
import { useClient } from "../../api/session.tsx";

const JOBS_MAX = 20;

/** A job, found by typing a part of its name. */
export function JobPicker({
  value,
  onChange,
  inputRef,
}: {
  /** A name, or an id where the job is not known by name. */
  value: string | null;
  onChange: (job: string | null) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}) {
  const [typed, setTyped] = useState(value ?? "");
  const sought = useDeferredValue(typed === value ? "" : typed.trim());
  const jobs = useJobNames(sought);
  return (
    <Combobox.Root
      items={jobs}
      filter={null}
      value={value}
      onValueChange={onChange}
      inputValue={typed}
      onInputValueChange={setTyped}
    >
      <Combobox.InputGroup className="bg-surface border-line-strong flex h-8 min-w-0 items-center rounded-md border focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2">
        <Combobox.Input
          ref={inputRef}
          aria-label="Job"
          placeholder="Any job"
          className="h-full min-w-0 grow bg-transparent px-2.5 text-sm outline-none"
        />
        {value === null ? (
          <Combobox.Trigger aria-label="Show jobs" className="text-muted hover:text-ink px-2">
            <ChevronDown aria-hidden className="size-4" />
          </Combobox.Trigger>
        ) : (
          <Combobox.Clear aria-label="Any job" className="text-muted hover:text-ink px-2">
            <X aria-hidden className="size-4" />
          </Combobox.Clear>
        )}
      </Combobox.InputGroup>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50">
          <Combobox.Popup className="bg-surface border-line max-h-80 w-72 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-md border p-1 shadow-xl">
            <Combobox.Empty className="text-muted px-2 py-3 text-center empty:hidden">
              No job is called that.
            </Combobox.Empty>
            <Combobox.List>
              {(name: string) => (
                <Combobox.Item
                  key={name}
                  value={name}
                  className="data-[highlighted]:bg-raised cursor-pointer truncate rounded px-2 py-1.5 outline-none select-none data-[selected]:font-semibold"
                >
                  {name}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function useJobNames(q: string): string[] {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["jobs", "names", q],
    queryFn: ({ signal }) =>
      client.jobs.list({ ...(q === "" ? {} : { q }), sort: "name", limit: JOBS_MAX }, { signal }),
  });
  return data?.items.map(({ name }) => name) ?? [];
}
