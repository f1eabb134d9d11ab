import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useDeferredValue, useId, useState } from "react";
import { useClient } from "../../api/session.tsx";
import { cx } from "../../ui/class-names.ts";
import { Input } from "../../ui/field.tsx";

const JOBS_MAX = 12;

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
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const isOpen = typed !== null;
  const names = useJobNames(useDeferredValue(typed?.trim() ?? ""), isOpen);
  const chosen = Math.min(at, names.length - 1);
  const close = () => setTyped(null);
  const take = (name: string | undefined) => {
    if (name === undefined) return;
    close();
    onChange(name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      if (isOpen) setAt((chosen + step + names.length) % Math.max(1, names.length));
      else setTyped("");
    } else if (event.key === "Enter" && isOpen) take(names[chosen]);
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative min-w-0">
      <Input
        ref={inputRef}
        role="combobox"
        aria-label="Job"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && names.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder="Any job"
        className="pr-8"
        value={typed ?? value ?? ""}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onClick={() => setTyped(typed ?? "")}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {value !== null && !isOpen && (
        <button
          type="button"
          aria-label="Any job"
          className="text-muted hover:text-ink absolute inset-y-0 right-0 px-2"
          onClick={() => onChange(null)}
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
      {isOpen && (
        <div
          id={id}
          role="listbox"
          aria-label="Jobs"
          className="bg-surface border-line absolute inset-x-0 top-full z-40 mt-1 max-h-96 overflow-y-auto rounded-md border p-1 shadow-xl"
        >
          {names.map((name, index) => (
            <div
              key={name}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              // The press would take the focus from the field, and with it the list.
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setAt(index)}
              onClick={() => take(name)}
              onKeyDown={onKeyDown}
              className={cx("cursor-pointer truncate rounded px-2 py-1.5 select-none", index === chosen && "bg-raised")}
            >
              {name}
            </div>
          ))}
          {names.length === 0 && (
            <div role="option" tabIndex={-1} aria-selected={false} aria-disabled className="text-muted px-2 py-1.5">
              No job is called that.
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function useJobNames(q: string, enabled: boolean): string[] {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["jobs", "names", q],
    queryFn: ({ signal }) =>
      client.jobs.list({ ...(q === "" ? {} : { q }), sort: "name", limit: JOBS_MAX }, { signal }),
    enabled,
  });
  return data?.items.map(({ name }) => name) ?? [];
}
