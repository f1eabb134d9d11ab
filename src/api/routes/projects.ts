import type { Route } from "../route.ts";

export function projectRoutes(): Route[] {
  return [];
}
