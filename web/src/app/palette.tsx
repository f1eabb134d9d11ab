import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CalendarClock, Keyboard, List, type LucideIcon, Plus } from "lucide-react";
import { useDeferredValue, useEffect, useState } from "react";
import { useClient, useMay } from "../api/session.tsx";
import { cx } from "../ui/class-names.ts";
import { usePages } from "./pages.ts";

interface Choice {
  id: string;
  label: string;
  about: string;
  icon: LucideIcon;
  act: () => void;
}

const JOBS_MAX = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One field from which everything can be reached: pages, jobs by name, executions by id. */
export function Palette({ open, onClose, onHelp }: { open: boolean; onClose: () => void; onHelp: () => void }) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <BaseDialog.Popup
          aria-label="Search and do anything"
          className="bg-surface border-line fixed top-[10vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border shadow-2xl"
        >
          <Finder onClose={onClose} onHelp={onHelp} />
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function Finder({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [sought, setSought] = useState("");
  const [at, setAt] = useState(0);
  const choices = useChoices(sought, onHelp);
  const chosen = Math.min(at, choices.length - 1);
  useEffect(() => {
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const take = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    choice.act();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + choices.length) % Math.max(1, choices.length));
    else if (event.key === "Enter") take(choices[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: whoever opens a search wants to type
        autoFocus
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={choices.length > 0 ? `palette-${chosen}` : undefined}
        placeholder="A job, a page, the id of an execution…"
        className="border-line w-full border-b bg-transparent px-4 py-3 text-base outline-none"
        value={sought}
        onChange={(event) => {
          setSought(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto p-1">
        {choices.map((choice, index) => (
          <div
            key={choice.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => take(choice)}
            onKeyDown={onKeyDown}
            className={cx(
              "flex cursor-pointer items-center gap-2.5 rounded-md px-3 py-2",
              index === chosen && "bg-raised",
            )}
          >
            <choice.icon aria-hidden className="text-muted size-4 shrink-0" />
            <span className="truncate font-medium">{choice.label}</span>
            <span className="text-muted ml-auto truncate text-xs">{choice.about}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className="text-muted px-4 py-6 text-center">Nothing is called that.</p>}
    </>
  );
}

function useChoices(sought: string, onHelp: () => void): Choice[] {
  const navigate = useNavigate();
  const mayWrite = useMay("write");
  const jobs = useJobsCalled(useDeferredValue(sought.trim()));
  const words = sought.trim().toLowerCase();
  const fixed: Choice[] = [
    ...usePages().map(({ to, label, icon, key, go }) => ({ id: to, label, icon, about: `g ${key}`, act: go })),
    ...(mayWrite
      ? [{ id: "new", label: "New job", icon: Plus, about: "n", act: () => void navigate({ to: "/jobs/new" }) }]
      : []),
    { id: "keys", label: "Keys", icon: Keyboard, about: "?", act: onHelp },
  ].filter(({ label }) => label.toLowerCase().includes(words));
  const byId: Choice[] = UUID.test(words)
    ? [
        {
          id: "execution",
          label: "Execution",
          icon: List,
          about: words,
          act: () => void navigate({ to: "/executions/$id", params: { id: words } }),
        },
      ]
    : [];
  const found = jobs.map(
    ({ id, name, scheduleDescription }): Choice => ({
      id,
      label: name,
      icon: CalendarClock,
      about: scheduleDescription,
      act: () => void navigate({ to: "/jobs/$job", params: { job: id } }),
    }),
  );
  return words === "" ? [...fixed, ...found] : [...byId, ...found, ...fixed];
}

function useJobsCalled(q: string) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["jobs", "called", q],
    queryFn: ({ signal }) =>
      client.jobs.list({ ...(q === "" ? { sort: "nextFireAt" } : { q, sort: "name" }), limit: JOBS_MAX }, { signal }),
  });
  return data?.items ?? [];
}
