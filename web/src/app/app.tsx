import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { Live } from "../api/live.ts";
import { createQueries, Refresher } from "../api/queries.ts";
import { type Session, SessionProvider } from "../api/session.tsx";
import { createPages, loadPagesAhead } from "../routes.tsx";
import { Hints } from "../ui/hint.tsx";
import { Toasts } from "../ui/toast.tsx";
import { Entrance } from "./entrance.tsx";
import { LiveProvider } from "./live-status.tsx";
import { listenForShortcuts } from "./shortcuts.tsx";

export function App() {
  return (
    // The page's policy lets in no style that stands in the document.
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={400}>
        <Entrance>{(session) => <Inside key={session.project.id} session={session} />}</Entrance>
        <Toasts />
        <Hints />
      </Tooltip.Provider>
    </CSPProvider>
  );
}

/** Everything for one person in one project: with another project it begins anew, and nothing is mixed up. */
function Inside({ session }: { session: Session }) {
  const { client, ended } = session;
  const onUnknown = useCallback(() => ended("Your session is over. Sign in again."), [ended]);
  const queries = useMemo(() => createQueries(onUnknown), [onUnknown]);
  const router = useMemo(() => createPages(), []);
  const live = useMemo(() => new Live(client, onUnknown), [client, onUnknown]);
  useEffect(() => {
    const refresher = new Refresher(queries);
    const stop = live.onBatch(refresher.take);
    const unwatch = queries.getQueryCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "success") live.nudge();
    });
    return () => {
      stop();
      unwatch();
      refresher.stop();
    };
  }, [live, queries]);
  useEffect(listenForShortcuts, []);
  useEffect(loadPagesAhead, []);
  return (
    <SessionProvider session={session}>
      <QueryClientProvider client={queries}>
        <LiveProvider live={live}>
          <RouterProvider router={router} />
        </LiveProvider>
      </QueryClientProvider>
    </SessionProvider>
  );
}
