import { expect, test, vi } from "vitest";
import { AttemptAbort } from "./attempt-abort.ts";

test("an abort tells every listener once, and its first reason stays", () => {
  const abort = new AttemptAbort();
  const [one, other] = [vi.fn(), vi.fn()];
  abort.addEventListener("abort", one);
  abort.addEventListener("abort", other);
  expect([abort.aborted, abort.reason]).toEqual([false, undefined]);
  abort.abort("cancelled");
  abort.abort("timeout");
  expect([abort.aborted, abort.reason]).toEqual([true, "cancelled"]);
  expect([one.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
});

test("who stopped listening hears nothing, and neither does who comes too late", () => {
  const abort = new AttemptAbort();
  const [left, late] = [vi.fn(), vi.fn()];
  abort.addEventListener("abort", left);
  abort.removeEventListener("abort", left);
  abort.abort("shutdown");
  abort.addEventListener("abort", late);
  expect(left).not.toHaveBeenCalled();
  expect(late).not.toHaveBeenCalled();
});
