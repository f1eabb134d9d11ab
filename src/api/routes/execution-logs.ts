import type { ApiDeps } from "../deps.ts";
import type { Route } from "../route.ts";

export function executionLogRoutes(_deps: ApiDeps): Route[] {
  return [];
}
