/**
 * Whether one more of a project finds room where at most `max` may be. A project may have as many as it leaves free: alone
 * it gets half, the next half of the rest, and so on, so that none of them can keep the others out.
 */
export function hasRoom(projectId: string, present: Iterable<{ projectId: string }>, max: number): boolean {
  let [mine, all] = [0, 0];
  for (const one of present) {
    all += 1;
    if (one.projectId === projectId) mine += 1;
  }
  return mine < max - all;
}
