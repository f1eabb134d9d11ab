// Every page and what its address holds. A page is loaded when it is first gone to; what stands behind the ? is read here once,
// so that a page gets what it expects whatever somebody wrote into the address.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { Shell } from "./app/shell.tsx";
import { readDeadLettersSearch } from "./pages/dead-letters/search.ts";
import { readEditJobSearch, readNewJobSearch } from "./pages/edit-job/search.ts";
import { readExecutionSearch } from "./pages/execution/search.ts";
import { readExecutionsSearch } from "./pages/executions/search.ts";
import { readJobSearch } from "./pages/job/search.ts";
import { readJobsSearch } from "./pages/jobs/search.ts";
import { NotFound, PageFailure, PageLoading } from "./pages/not-found.tsx";
import { readOverviewSearch } from "./pages/overview/search.ts";
import { readSettingsSearch } from "./pages/settings/search.ts";
import { readTimelineSearch } from "./pages/timeline/search.ts";
import { present, textOf } from "./ui/search-values.ts";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: ({ project }: Record<string, unknown>): { project?: string } => present({ project: textOf(project) }),
  search: { middlewares: [retainSearchParams(["project"])] },
});

const getParentRoute = () => root;

/** The router answers a file that does not come by loading everything anew, and while the server is away nothing would be left on the
 * screen. It knows such a failure by its message: with another one, the place of the page says what is wrong and the rest stays. */
function loaded<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch((cause: unknown) => {
      throw new Error("This page could not be loaded: the server does not answer, or has a newer one.", { cause });
    });
}

const routes = [
  createRoute({
    getParentRoute,
    path: "/",
    validateSearch: readOverviewSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/overview/overview-page.tsx")),
      "OverviewPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs",
    validateSearch: readJobsSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/jobs/jobs-page.tsx")),
      "JobsPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs/new",
    validateSearch: readNewJobSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/edit-job/new-job-page.tsx")),
      "NewJobPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs/$job",
    validateSearch: readJobSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/job/job-page.tsx")),
      "JobPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs/$job/edit",
    validateSearch: readEditJobSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/edit-job/edit-job-page.tsx")),
      "EditJobPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/executions",
    validateSearch: readExecutionsSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/executions/executions-page.tsx")),
      "ExecutionsPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/executions/$id",
    validateSearch: readExecutionSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/execution/execution-page.tsx")),
      "ExecutionPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/timeline",
    validateSearch: readTimelineSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/timeline/timeline-page.tsx")),
      "TimelinePage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/dead-letters",
    validateSearch: readDeadLettersSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/dead-letters/dead-letters-page.tsx")),
      "DeadLettersPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/workers",
    component: lazyRouteComponent(
      loaded(() => import("./pages/workers/workers-page.tsx")),
      "WorkersPage",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/settings",
    component: lazyRouteComponent(
      loaded(() => import("./pages/settings/settings-page.tsx")),
      "SettingsIndex",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/$section",
    validateSearch: readSettingsSearch,
    component: lazyRouteComponent(
      loaded(() => import("./pages/settings/settings-page.tsx")),
      "SettingsPage",
    ),
  }),
] as const;

export function createPages() {
  return createRouter({
    routeTree: root.addChildren(routes),
    // What no page reads is taken out of the address, instead of being handed on as it was written.
    search: { strict: true },
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: PageFailure,
  });
}

/** Not at once: what is shown first comes first. */
const AHEAD_MS = 3_000;

/** Loads the other pages before they are gone to: they are then there even while the server restarts. */
export function loadPagesAhead(): () => void {
  const timer = setTimeout(() => {
    for (const { options } of routes) void options.component?.preload?.();
  }, AHEAD_MS);
  return () => clearTimeout(timer);
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
