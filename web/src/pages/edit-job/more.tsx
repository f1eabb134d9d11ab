import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useDraft } from "./draft-context.tsx";
import { problemAt } from "./problems.ts";

/** What most jobs do without. It opens by itself when something in it is wrong. */
export function More({ title, paths, children }: { title: string; paths: readonly string[]; children: ReactNode }) {
  const { problems } = useDraft();
  const [open, setOpen] = useState(false);
  const wrong = paths.some((path) => problemAt(problems, path) !== null);
  return (
    <details open={open || wrong} className="group">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is what opens its details, by key and by press */}
      <summary
        className="text-muted hover:text-ink flex w-fit list-none items-center gap-1 font-medium [&::-webkit-details-marker]:hidden"
        onClick={(event) => {
          event.preventDefault();
          setOpen(!(open || wrong));
        }}
      >
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="pt-4">{children}</div>
    </details>
  );
}
