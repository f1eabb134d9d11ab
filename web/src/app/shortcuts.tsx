import { useEffect, useRef, useSyncExternalStore } from "react";

// Keys that do something while no field has the focus. The newest that knows a key takes it, so that a list on a page and the
// shell around it can both have theirs; the help (?) shows what holds at the moment.

export interface Shortcut {
  key: string;
  about: string;
  act: () => void;
}

interface Layer {
  shortcuts: readonly Shortcut[];
}

let layers: readonly Layer[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Layer[]): void {
  layers = next;
  for (const listener of listeners) listener();
}

/** In force as long as the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const layer: Layer = {
      get shortcuts() {
        return latest.current;
      },
    };
    change([...layers, layer]);
    return () => change(layers.filter((each) => each !== layer));
  }, []);
}

/** All that hold, the nearest first, each key once. */
export function useAllShortcuts(): Shortcut[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => layers,
  );
  const seen = new Map<string, Shortcut>();
  for (const { shortcuts } of [...all].reverse())
    for (const shortcut of shortcuts) if (!seen.has(shortcut.key)) seen.set(shortcut.key, shortcut);
  return [...seen.values()];
}

/** Two keys after one another, such as "g j", may take this long. */
const SEQUENCE_MS = 1_000;

export function listenForShortcuts(): () => void {
  let before = { key: "", at: 0 };
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isTyping(event) || isCovered()) return;
    const plain = !event.metaKey && !event.ctrlKey && !event.altKey;
    const key = plain ? event.key : event.key.toLowerCase() === "k" && !event.altKey ? "mod+k" : "";
    if (key === "") return;
    const sequence = event.timeStamp - before.at < SEQUENCE_MS ? `${before.key} ${key}` : "";
    before = { key, at: event.timeStamp };
    const found = find(sequence) ?? find(key);
    if (found === undefined) return;
    event.preventDefault();
    found.act();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function find(key: string): Shortcut | undefined {
  if (key === "") return undefined;
  for (const { shortcuts } of [...layers].reverse()) {
    const found = shortcuts.find((each) => each.key === key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isTyping(event: KeyboardEvent): boolean {
  // From within a shadow root, as the editor has one, the innermost is what was typed into.
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Under a dialog or a menu the page rests. What only tells something, as a toast does, covers nothing. */
function isCovered(): boolean {
  const dialog = ':is([role="dialog"], [role="alertdialog"]):not([aria-modal="false"])';
  return document.querySelector(`${dialog}, [role="menu"]`) !== null;
}
