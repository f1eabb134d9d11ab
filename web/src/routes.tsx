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

const routes = [
  createRoute({
    getParentRoute,
    path: "/",
    validateSearch: readOverviewSearch,
    component: lazyRouteComponent(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs",
    validateSearch: readJobsSearch,
    component: lazyRouteComponent(() => import("./pages/jobs/jobs-page.tsx"), "JobsPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs/new",
    validateSearch: readNewJobSearch,
    component: lazyRouteComponent(() => import("./pages/edit-job/new-job-page.tsx"), "NewJobPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs/$job",
    validateSearch: readJobSearch,
    component: lazyRouteComponent(() => import("./pages/job/job-page.tsx"), "JobPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/jobs/$job/edit",
    validateSearch: readEditJobSearch,
    component: lazyRouteComponent(() => import("./pages/edit-job/edit-job-page.tsx"), "EditJobPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/executions",
    validateSearch: readExecutionsSearch,
    component: lazyRouteComponent(() => import("./pages/executions/executions-page.tsx"), "ExecutionsPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/executions/$id",
    validateSearch: readExecutionSearch,
    component: lazyRouteComponent(() => import("./pages/execution/execution-page.tsx"), "ExecutionPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/timeline",
    validateSearch: readTimelineSearch,
    component: lazyRouteComponent(() => import("./pages/timeline/timeline-page.tsx"), "TimelinePage"),
  }),
  createRoute({
    getParentRoute,
    path: "/dead-letters",
    validateSearch: readDeadLettersSearch,
    component: lazyRouteComponent(() => import("./pages/dead-letters/dead-letters-page.tsx"), "DeadLettersPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/workers",
    component: lazyRouteComponent(() => import("./pages/workers/workers-page.tsx"), "WorkersPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/settings",
    component: lazyRouteComponent(() => import("./pages/settings/settings-page.tsx"), "SettingsIndex"),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/$section",
    validateSearch: readSettingsSearch,
    component: lazyRouteComponent(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
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

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
