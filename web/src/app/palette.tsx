import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CalendarClock, Keyboard, List, type LucideIcon, Plus, Settings } from "lucide-react";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { useClient, useMay, useSession } from "../api/session.tsx";
import { maySee, SECTIONS } from "../pages/settings/sections.ts";
import { cx } from "../ui/class-names.ts";
import { scheduleWords } from "../ui/schedule-words.ts";
import { useZone } from "../ui/zone.ts";
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
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <BaseDialog.Popup
          ref={popup}
          // The window itself puts the focus into the field, and so knows where to put it back.
          initialFocus={() => popup.current?.querySelector("input") ?? null}
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
  const some = choices.length > 0;
  useEffect(() => {
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const take = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    choice.act();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const next = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + LEAP, PageUp: chosen - LEAP }[
      event.key
    ];
    if (next !== undefined) setAt(within(next, choices.length, Math.abs(next - chosen) === 1));
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) take(choices[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Search"
        aria-autocomplete="list"
        aria-expanded={some}
        aria-controls={some ? "palette-list" : undefined}
        aria-activedescendant={some ? `palette-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="A job, a page, the id of an execution…"
        className="border-line w-full border-b bg-transparent px-4 py-3 text-base outline-none"
        value={sought}
        onChange={(event) => {
          setSought(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {some ? (
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
              <span className="text-muted ml-auto max-w-[50%] truncate text-xs">{choice.about}</span>
            </div>
          ))}
        </div>
      ) : (
        <p role="status" className="text-muted px-4 py-6 text-center">
          Nothing is called that.
        </p>
      )}
      <p className="text-muted border-line hidden gap-4 border-t px-4 py-2 text-xs sm:flex">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> go
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </p>
    </>
  );
}

/** How far page up and down go. */
const LEAP = 8;

/** One step beyond an end is the other end; a leap stops there. */
function within(next: number, count: number, turns: boolean): number {
  if (count === 0) return 0;
  return turns ? (next + count) % count : Math.max(0, Math.min(count - 1, next));
}

function useChoices(sought: string, onHelp: () => void): Choice[] {
  const words = sought.trim().toLowerCase();
  const fits = ({ label }: Choice) => label.toLowerCase().includes(words);
  const pages = [...usePageChoices(), ...useActions(onHelp)].filter(fits);
  const sections = useSectionChoices().filter(fits);
  const byId = useIdChoices(words);
  const jobs = useJobChoices(sought.trim());
  return words === "" ? [...pages, ...jobs] : [...byId, ...jobs, ...pages, ...sections];
}

function usePageChoices(): Choice[] {
  return usePages().map(({ to, label, icon, key, go }) => ({ id: to, label, icon, about: `g ${key}`, act: go }));
}

function useActions(onHelp: () => void): Choice[] {
  const navigate = useNavigate();
  const create = { id: "new", label: "New job", icon: Plus, about: "", act: () => void navigate({ to: "/jobs/new" }) };
  const help = { id: "keyboard", label: "Keyboard", icon: Keyboard, about: "?", act: onHelp };
  return useMay("write") ? [create, help] : [help];
}

function useSectionChoices(): Choice[] {
  const { me } = useSession();
  const navigate = useNavigate();
  return SECTIONS.filter((section) => maySee(section, me)).map(({ name, label }) => ({
    id: `settings-${name}`,
    label,
    icon: Settings,
    about: "Settings",
    act: () => void navigate({ to: "/settings/$section", params: { section: name } }),
  }));
}

/** An id does not tell of what it is. */
function useIdChoices(id: string): Choice[] {
  const navigate = useNavigate();
  if (!UUID.test(id)) return [];
  return [
    {
      id: "execution",
      label: "Execution with this id",
      icon: List,
      about: "",
      act: () => void navigate({ to: "/executions/$id", params: { id } }),
    },
    {
      id: "job",
      label: "Job with this id",
      icon: CalendarClock,
      about: "",
      act: () => void navigate({ to: "/jobs/$job", params: { job: id } }),
    },
  ];
}

function useJobChoices(sought: string): Choice[] {
  const navigate = useNavigate();
  const zone = useZone();
  return useJobsCalled(useDeferredValue(sought)).map(({ id, name, scheduleDescription }) => ({
    id,
    label: name,
    icon: CalendarClock,
    about: scheduleWords(scheduleDescription, zone),
    act: () => void navigate({ to: "/jobs/$job", params: { job: id } }),
  }));
}

function useJobsCalled(q: string) {
  const client = useClient();
  const { data, isPlaceholderData } = useQuery({
    queryKey: ["jobs", "called", q],
    queryFn: ({ signal }) =>
      client.jobs.list({ ...(q === "" ? { sort: "nextFireAt" } : { q, sort: "name" }), limit: JOBS_MAX }, { signal }),
  });
  const jobs = data?.items ?? [];
  // Until the answer is there the one before it stays, without what does not fit any more: Enter must not go astray.
  return isPlaceholderData ? jobs.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())) : jobs;
}
