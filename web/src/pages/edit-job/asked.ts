import { useEffect, useRef, useState } from "react";

export interface Asked<T> {
  /** The last one there was, even if it is of what stood there before. */
  answer: T | null;
  /** Of the last question; null if it was answered. */
  error: unknown;
  /** Whether the answer, or the error, is of what stands there now. */
  current: boolean;
}

/**
 * Asks the server about what is being typed: a moment after the last key, and giving up what was asked before. `about` says what the
 * question is of; it is asked again whenever that is another text.
 */
export function useAsked<T>(about: string, ask: (signal: AbortSignal) => Promise<T>, waitMs: number): Asked<T> {
  const [state, setState] = useState<{ about: string | null; answer: T | null; error: unknown }>({
    about: null,
    answer: null,
    error: null,
  });
  const latest = useRef(ask);
  latest.current = ask;
  const first = useRef(true);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () =>
        latest.current(stop.signal).then(
          (answer) => !stop.signal.aborted && setState({ about, answer, error: null }),
          (error) => !stop.signal.aborted && setState(({ answer }) => ({ about, answer, error })),
        ),
      first.current ? 0 : waitMs,
    );
    first.current = false;
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [about, waitMs]);
  return { answer: state.answer, error: state.error, current: state.about === about };
}
