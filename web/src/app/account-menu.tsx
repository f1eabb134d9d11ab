import { useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut, Monitor, Moon, Sun, UserCog } from "lucide-react";
import { useSession } from "../api/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { useChoice } from "../ui/stored-choice.ts";
import { THEMES, type Theme, themeChoice } from "../ui/theme.ts";
import { tellFailure } from "../ui/toast.tsx";

const THEME_LABEL: Record<Theme, string> = {
  system: "Theme of the system",
  light: "Light theme",
  dark: "Dark theme",
};
const THEME_ICON = { system: Monitor, light: Sun, dark: Moon } as const;

export function AccountMenu() {
  const { me, signOut } = useSession();
  const navigate = useNavigate();
  const theme = useChoice(themeChoice);
  return (
    <Menu trigger={<IconButton label={`Account of ${me.name}`} icon={<CircleUser aria-hidden className="size-5" />} />}>
      <div className="text-muted px-2 py-1.5 text-xs [overflow-wrap:anywhere]">
        {me.name}
        {me.instanceAdmin && ", instance admin"}
      </div>
      <MenuItem
        icon={<UserCog aria-hidden className="size-4" />}
        onSelect={() => void navigate({ to: "/settings/$section", params: { section: "account" } })}
      >
        Your account
      </MenuItem>
      <MenuSeparator />
      {THEMES.map((each) => {
        const Icon = THEME_ICON[each];
        return (
          <MenuItem
            key={each}
            icon={<Icon aria-hidden className="size-4" />}
            chosen={theme === each}
            onSelect={() => themeChoice.choose(each)}
          >
            {THEME_LABEL[each]}
          </MenuItem>
        );
      })}
      <MenuSeparator />
      <MenuItem
        icon={<LogOut aria-hidden className="size-4" />}
        onSelect={() => void signOut().catch((error) => tellFailure("You are still signed in", error))}
      >
        Sign out
      </MenuItem>
    </Menu>
  );
}
