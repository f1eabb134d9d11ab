import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { useClient, useSession } from "../api/session.tsx";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";

/** A menu of more is no help; the settings list them all. */
const SHOWN_MAX = 50;

/** Which project is looked at; the way to another where there is one. */
export function ProjectMenu() {
  const { project } = useSession();
  const client = useClient();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["settings", "projects"],
    queryFn: ({ signal }) => client.projects.list({ limit: SHOWN_MAX }, { signal }),
  });
  const projects = data?.items ?? [];
  if (projects.length < 2) return <span className="truncate px-2 font-medium">{project.name}</span>;
  return (
    <Menu
      trigger={
        <Button look="quiet" size="small" className="min-w-0" aria-label={`Project ${project.name}; change`}>
          <span className="text-ink truncate">{project.name}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0" />
        </Button>
      }
    >
      {projects.map(({ id, name }) => (
        <MenuItem
          key={id}
          chosen={id === project.id}
          onSelect={() => location.assign(`/?project=${encodeURIComponent(name)}`)}
        >
          <span className="max-w-64 truncate">{name}</span>
        </MenuItem>
      ))}
      {data?.nextCursor && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => void navigate({ to: "/settings/$section", params: { section: "project" } })}>
            All projects…
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
