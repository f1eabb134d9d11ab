import { useLiveState } from "./live-status.tsx";

/** How often what changes with time alone is read again; not at all while the page is held still. */
export function useRefresh(ms: number): number | false {
  return useLiveState() === "paused" ? false : ms;
}
