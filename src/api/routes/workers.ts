import type { ApiDeps } from "../deps.ts";
import type { Route } from "../route.ts";

export function workerRoutes(_deps: ApiDeps): Route[] {
  return [];
}
