import { Link, useNavigate } from "@tanstack/react-router";
import { FileCode, X } from "lucide-react";
import type { JobCounts } from "punctual/client";
import { JobTextFilter } from "../../app/job-text-filter.tsx";
import { cx } from "../../ui/class-names.ts";
import { Select } from "../../ui/field.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { JOB_ORDERS, type JobsSearch, ORDER_PRESET } from "./search.ts";

const ORDER_LABEL: Record<(typeof JOB_ORDERS)[number], string> = {
  name: "Name, A first",
  "-name": "Name, Z first",
  nextFireAt: "Next run, soonest first",
  "-nextFireAt": "Next run, latest first",
  "-created": "Newest first",
  created: "Oldest first",
};
const ORDERS = JOB_ORDERS.map((order) => [order, ORDER_LABEL[order]] as const);

/** Which jobs are listed, and in which order. All of it stands in the address. */
export function JobFilters({ search, tags }: { search: JobsSearch; tags: JobCounts["tags"] }) {
  const navigate = useNavigate();
  const filterBy = (q: string) => {
    const { q: _, ...rest } = search;
    void navigate({ to: "/jobs", search: q === "" ? rest : { ...rest, q }, replace: true, resetScroll: false });
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <JobTextFilter q={search.q ?? ""} onChange={filterBy} className="min-w-0 sm:max-w-sm" />
        <Select
          aria-label="Order"
          className="!w-auto sm:ml-auto"
          options={ORDERS}
          value={search.sort ?? ORDER_PRESET}
          onChange={(sort) => void navigate({ to: "/jobs", search: { ...search, sort }, replace: true })}
        />
      </div>
      <Chips search={search} tags={tags} />
    </div>
  );
}

/** More would not be read; they are behind a button. */
const CHIPS_MAX = 8;

function Chips({ search, tags }: { search: JobsSearch; tags: JobCounts["tags"] }) {
  const navigate = useNavigate();
  const { tag: chosen, source, ...rest } = search;
  const named = tags.map(({ tag }) => tag);
  const shown = chosen === undefined || named.slice(0, CHIPS_MAX).includes(chosen) ? [] : [chosen];
  shown.push(...named.slice(0, CHIPS_MAX));
  const hidden = tags.slice(CHIPS_MAX).filter(({ tag }) => tag !== chosen);
  const withSource = source === undefined ? {} : { source };
  if (shown.length === 0 && source === undefined) return null;
  return (
    <ul aria-label="Tags" className="flex flex-wrap items-center gap-1.5">
      {source !== undefined && (
        <li>
          <Chip chosen search={chosen === undefined ? rest : { ...rest, tag: chosen }}>
            <FileCode aria-hidden className="size-3.5" />
            from {source}
          </Chip>
        </li>
      )}
      {shown.map((tag) => (
        <li key={tag}>
          <Chip
            chosen={tag === chosen}
            search={tag === chosen ? { ...rest, ...withSource } : { ...rest, ...withSource, tag }}
          >
            {tag}
            <span className="text-muted font-normal">
              {tags.find((each) => each.tag === tag)?.jobs.toLocaleString("en-GB")}
            </span>
          </Chip>
        </li>
      ))}
      {hidden.length > 0 && (
        <li>
          <Menu
            trigger={
              <button type="button" className="text-muted hover:text-ink px-1 text-xs">
                {hidden.length} more
              </button>
            }
          >
            {hidden.map(({ tag, jobs }) => (
              <MenuItem
                key={tag}
                onSelect={() => void navigate({ to: "/jobs", search: { ...rest, ...withSource, tag }, replace: true })}
              >
                {tag}
                <span className="text-muted ml-auto pl-4 text-xs">{jobs}</span>
              </MenuItem>
            ))}
          </Menu>
        </li>
      )}
    </ul>
  );
}

/** Pressed it holds; pressed again it does not. */
function Chip({ chosen, search, children }: { chosen: boolean; search: JobsSearch; children: React.ReactNode }) {
  return (
    <Link
      to="/jobs"
      search={search}
      replace
      resetScroll={false}
      className={cx(
        "inline-flex h-6 items-center gap-1.5 rounded-full border px-2.5 text-xs",
        chosen
          ? "border-accent bg-accent/10 text-ink font-medium"
          : "border-line bg-surface text-muted hover:text-ink hover:border-line-strong",
      )}
    >
      {!chosen && <span className="sr-only">Only </span>}
      {children}
      {chosen && <span className="sr-only">, chosen; press to show all</span>}
      {chosen && <X aria-hidden className="size-3" />}
    </Link>
  );
}
