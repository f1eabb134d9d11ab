import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { cx } from "../ui/class-names.ts";
import { Input } from "../ui/field.tsx";
import { useShortcuts } from "./shortcuts.tsx";

/** Typing is not a question yet; a pause in it is. */
const TYPING_MS = 250;

/** Filters jobs by name or description; `q` is what the address has of it. */
export function JobTextFilter({
  q,
  onChange,
  className,
}: {
  q: string;
  onChange: (q: string) => void;
  className: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const change = useRef(onChange);
  change.current = onChange;
  // The address may change by other ways than this field: back, a link, a tab. What is still being typed is left alone.
  useEffect(() => {
    if (q === sent.current) return;
    sent.current = q;
    setTyped(q);
  }, [q]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = wanted;
      change.current(wanted);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useShortcuts([{ key: "/", about: "Filter the jobs", act: () => field.current?.select() }]);
  return (
    <div className={cx("relative grow", className)}>
      <Search aria-hidden className="text-muted pointer-events-none absolute top-2 left-2.5 size-4" />
      <Input
        ref={field}
        type="search"
        aria-label="Filter by name or description"
        placeholder="Filter by name or description"
        className="pl-8"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          // The rows can then be gone through: j, k and Enter are theirs again.
          if (event.key === "Enter" || (event.key === "Escape" && typed === "")) event.currentTarget.blur();
        }}
      />
    </div>
  );
}
