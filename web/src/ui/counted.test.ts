import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test("things are counted with the word for one of them or for many", () => {
  expect(counted(0, "job")).toBe("0 jobs");
  expect(counted(1, "job")).toBe("1 job");
  expect(counted(1_234, "dead letter")).toBe("1,234 dead letters");
  expect(counted(2, "has", "have")).toBe("2 have");
});
