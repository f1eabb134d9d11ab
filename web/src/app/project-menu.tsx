import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { useClient, useSession } from "../api/session.tsx";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";

/** Which project is looked at; the way to another where there is one. */
export function ProjectMenu() {
  const { project } = useSession();
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["settings", "projects"],
    queryFn: ({ signal }) => client.projects.list({}, { signal }),
  });
  const others = data?.items ?? [];
  if (others.length < 2) return <span className="truncate px-2 font-medium">{project.name}</span>;
  return (
    <Menu
      trigger={
        <Button look="quiet" size="small" className="min-w-0" aria-label={`Project ${project.name}; change`}>
          <span className="text-ink truncate">{project.name}</span>
          <ChevronsUpDown aria-hidden className="size-3.5" />
        </Button>
      }
    >
      {others.map(({ id, name }) => (
        <MenuItem
          key={id}
          chosen={id === project.id}
          onSelect={() => location.assign(`/?project=${encodeURIComponent(name)}`)}
        >
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
