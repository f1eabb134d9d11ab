import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { LiveStatus, StaleNotice } from "./live-status.tsx";
import { Mark } from "./mark.tsx";
import { MOD } from "./modifier.ts";
import { usePages } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { ProjectMenu } from "./project-menu.tsx";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { useShortcuts } from "./shortcuts.tsx";
import { ZoneMenu } from "./zone-menu.tsx";

/** What is around every page: where one is, whether it is live, and the way to anywhere else. */
export function Shell() {
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main);
  useShortcuts([
    { key: "mod+k", about: "Search and do anything", act: () => setPalette(true) },
    { key: "?", about: "These keys", act: () => setHelp(true) },
  ]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
      <button
        type="button"
        className="bg-accent text-on-accent sr-only z-50 rounded p-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        onClick={() => main.current?.focus()}
      >
        Skip to the content
      </button>
      <aside className="border-line bg-surface sticky top-0 hidden h-dvh flex-col border-r lg:flex">
        <Brand />
        <nav aria-label="Pages" className="flex grow flex-col overflow-y-auto p-2">
          <PageLinks />
        </nav>
        <div className="border-line text-muted flex gap-3 border-t px-4 py-3 text-xs">
          <a href="/docs" className="hover:text-ink underline-offset-2 hover:underline">
            API
          </a>
          <button
            type="button"
            className="hover:text-ink underline-offset-2 hover:underline"
            onClick={() => setHelp(true)}
          >
            Keyboard <kbd className="font-mono">?</kbd>
          </button>
        </div>
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="border-line bg-surface sticky top-0 z-30 flex h-12 items-center gap-1 border-b px-2 sm:gap-2 sm:px-4">
          <PhoneMenu />
          <ProjectMenu />
          <div className="grow" />
          <LiveStatus />
          <Button
            look="quiet"
            size="small"
            onClick={() => setPalette(true)}
            icon={<Search aria-hidden className="size-4" />}
          >
            <span className="sr-only">Search and do anything</span>
            <kbd className="hidden font-sans sm:inline">{MOD}K</kbd>
          </Button>
          <ZoneMenu />
          <AccountMenu />
        </header>
        <main id="main" ref={main} tabIndex={-1} className="grow outline-none">
          <div className="mx-auto max-w-7xl px-4 pt-3 empty:hidden sm:px-6">
            <StaleNotice />
          </div>
          <Outlet />
        </main>
      </div>
      <Palette open={palette} onClose={() => setPalette(false)} onHelp={() => setHelp(true)} />
      <ShortcutHelp open={help} onClose={() => setHelp(false)} />
      <GoShortcuts />
    </div>
  );
}

function Brand() {
  return (
    <Link to="/" className="flex h-12 items-center gap-2 px-4 text-base font-semibold tracking-tight">
      <Mark />
      Punctual
    </Link>
  );
}

function PageLinks({ onFollow }: { onFollow?: () => void }) {
  return usePages().map(({ to, label, icon: Icon }) => (
    <Link
      key={to}
      to={to}
      onClick={onFollow}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      className="text-muted hover:bg-raised hover:text-ink flex items-center gap-2.5 rounded-md px-2.5 py-1.5 font-medium"
      activeProps={{ className: "bg-raised !text-ink" }}
    >
      <Icon aria-hidden className="size-4" />
      {label}
    </Link>
  ));
}

function PhoneMenu() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        label="Pages"
        className="lg:hidden"
        icon={<MenuIcon aria-hidden className="size-5" />}
        onClick={() => setOpen(true)}
      />
      <Dialog open={open} onClose={() => setOpen(false)} title="Pages">
        <nav aria-label="Pages" className="flex flex-col gap-1">
          <PageLinks onFollow={() => setOpen(false)} />
        </nav>
      </Dialog>
    </>
  );
}

/** "g j" goes to the jobs, and so on. */
function GoShortcuts() {
  const pages = usePages();
  useShortcuts(pages.map(({ key, label, go }) => ({ key: `g ${key}`, about: `Go to ${label}`, act: go })));
  return null;
}

/** A screen reader begins at the new page, and does not stay in a list of links that is gone. */
function useFocusOnNewPage(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname ?? state.location.pathname });
  const first = useRef(true);
  useEffect(() => {
    if (!first.current && path !== undefined) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [path, main]);
}
