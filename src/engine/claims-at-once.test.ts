import { expect, test } from "vitest";
import type { Claimed, ClaimResult } from "../store/port/queue.ts";
import { together } from "./claims-at-once.ts";

const NOON = Date.parse("2026-01-01T12:00:00Z");
const at = (ms: number) => new Date(NOON + ms);
const place = (ms: number, id = "0") => ({ runAt: at(ms), id });

function result(said: Partial<ClaimResult> & { ids?: string[] } = {}): ClaimResult {
  const { ids = [], ...rest } = said;
  return {
    claimed: ids.map((id) => ({ id }) as Claimed),
    repeated: false,
    blocked: [],
    now: at(0),
    decidedAt: at(0),
    nextRunAt: null,
    oldestDue: null,
    moreIsDue: false,
    onward: null,
    ...rest,
  };
}

test("one alone is what it is", () => {
  const one = result({ ids: ["a"] });
  expect(together([one])).toBe(one);
});

test("what they took is taken, and what is next is the earliest that any of them knows of", () => {
  const one = result({ ids: ["a", "c"], now: at(5), decidedAt: at(2), nextRunAt: at(900) });
  const other = result({ ids: ["b"], now: at(7), decidedAt: at(1), nextRunAt: at(500) });
  expect(together([one, other])).toMatchObject({ now: at(7), decidedAt: at(1), nextRunAt: at(500) });
  expect(together([one, other]).claimed.map(({ id }) => id)).toEqual(["a", "c", "b"]);
  expect(together([one, result()]).nextRunAt).toEqual(at(900));
});

test("they go on behind the one that came furthest, if both know where that is", () => {
  const going = (onward: ClaimResult["onward"]) => result({ onward, moreIsDue: true });
  expect(together([going(place(3)), going(place(1))]).onward).toEqual(place(3));
  expect(together([going(place(3, "1")), going(place(3, "2"))]).onward).toEqual(place(3, "2"));
  expect(together([going(place(3)), going(null)]).onward).toBeNull();
});

test("what each saw of the other's is not left: there is more only if all say so", () => {
  const more = result({ moreIsDue: true, oldestDue: at(-50) });
  expect(together([more, result({ moreIsDue: true, oldestDue: at(-80) })])).toMatchObject({
    moreIsDue: true,
    oldestDue: at(-80),
  });
  expect(together([more, result()])).toMatchObject({ moreIsDue: false, oldestDue: null });
});
