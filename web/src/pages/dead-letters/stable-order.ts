import { useRef } from "react";

/**
 * The groups in the order in which they were first seen: the server sends the largest first, and as they grow they would change
 * places under the pointer. Under another `key` they are sorted anew.
 */
export function useStableOrder<Item>(items: readonly Item[], idOf: (item: Item) => string, key: string): Item[] {
  const seen = useRef({ key, ids: new Map<string, number>() });
  if (seen.current.key !== key) seen.current = { key, ids: new Map() };
  const { ids } = seen.current;
  for (const item of items) if (!ids.has(idOf(item))) ids.set(idOf(item), ids.size);
  return items.toSorted((one, other) => ids.get(idOf(one))! - ids.get(idOf(other))!);
}
