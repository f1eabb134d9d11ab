import { expect, test } from "vitest";
import { hasRoom } from "./fair-room.ts";

/** How many of each project are there when all have come who find room, one project after the other. */
function crowd(max: number, projects: string[]): number[] {
  const present: { projectId: string }[] = [];
  return projects.map((projectId) => {
    const before = present.length;
    while (hasRoom(projectId, present, max)) present.push({ projectId });
    return present.length - before;
  });
}

test("one project gets half of the room, and leaves some to every other that comes", () => {
  expect(crowd(1_000, ["a", "b", "c", "d"])).toEqual([500, 250, 125, 63]);
});

test("room for one is one's, and room for none is nobody's", () => {
  expect(crowd(1, ["a", "b"])).toEqual([1, 0]);
  expect(crowd(0, ["a"])).toEqual([0]);
});
