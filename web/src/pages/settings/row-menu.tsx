import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";

/** What can be done with one row of a table. */
export function RowMenu({ of, children }: { of: string; children: ReactNode }) {
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${of}`} size="small" icon={<Ellipsis aria-hidden className="size-4" />} />
      }
    >
      {children}
    </Menu>
  );
}
