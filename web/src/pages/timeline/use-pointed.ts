import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { markKey } from "./mark-text.ts";
import type { OnPoint } from "./timeline-lane.tsx";

export interface Pointed {
  jobId: string;
  mark: string;
  held: boolean;
}

/** Time to move the pointer from a mark to what is said about it. */
const LEAVE_MS = 250;

/** Which mark is pointed at. What was pressed or reached with the keys stays until Escape or a press elsewhere. */
export function usePointed(chart: RefObject<HTMLElement | null>) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stay = useCallback(() => clearTimeout(timer.current), []);
  const release = useCallback(() => {
    clearTimeout(timer.current);
    setPointed(null);
  }, []);
  const leave = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setPointed((before) => (before?.held ? before : null)), LEAVE_MS);
  }, []);
  const point: OnPoint = useCallback(
    (jobId, mark, held) => {
      if (mark === null && !held) return leave();
      clearTimeout(timer.current);
      setPointed((before) => {
        if (before?.held && !held) return before;
        if (mark === null) return null;
        const key = markKey(mark);
        return before?.jobId === jobId && before.mark === key && before.held === held
          ? before
          : { jobId, mark: key, held };
      });
    },
    [leave],
  );
  const held = pointed?.held ?? false;
  useEffect(() => {
    if (!held) return;
    const onPress = (event: PointerEvent) => !chart.current?.contains(event.target as Node) && release();
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && release();
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("keydown", onKey);
    };
  }, [held, chart, release]);
  useEffect(() => stay, [stay]);
  return { pointed, point, stay, leave, release };
}
