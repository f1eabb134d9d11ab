import { useSyncExternalStore } from "react";

// The same width at which the style sheet's `sm:` begins.
const query = window.matchMedia("(width < 40rem)");

function subscribe(listener: () => void): () => void {
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a phone. For what would be too much to draw twice and hide once. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
