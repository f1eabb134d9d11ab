import { describe, expect, test, vi } from "vitest";
import { type Lookup, Resolver } from "./resolver.ts";

const address = (last: number) => [{ address: `127.0.0.${last}`, family: 4 }];

describe("the resolver", () => {
  test("asks once for all who want the same name at the same time", async () => {
    let answer: (value: ReturnType<typeof address>) => void = () => {};
    const lookup = vi.fn<Lookup>(() => new Promise((resolve) => (answer = resolve)));
    const resolver = new Resolver(lookup, { rememberedMs: 0 });
    const both = [resolver.resolve("a.example"), resolver.resolve("a.example")];
    answer(address(1));
    expect(await Promise.all(both)).toEqual([address(1), address(1)]);
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(lookup).toHaveBeenCalledWith("a.example");
  });

  test("remembers an answer only as long as it was told to", async () => {
    const lookup = vi.fn<Lookup>().mockResolvedValueOnce(address(1)).mockResolvedValue(address(2));
    const forgetful = new Resolver(lookup, { rememberedMs: 0 });
    expect(await forgetful.resolve("a.example")).toEqual(address(1));
    expect(await forgetful.resolve("a.example")).toEqual(address(2));
    const mindful = new Resolver(lookup, { rememberedMs: 60_000 });
    await mindful.resolve("a.example");
    await mindful.resolve("a.example");
    expect(lookup).toHaveBeenCalledTimes(3);
  });

  test("does not remember failures", async () => {
    const lookup = vi.fn<Lookup>().mockRejectedValueOnce(new Error("no")).mockResolvedValue(address(1));
    const resolver = new Resolver(lookup, { rememberedMs: 60_000 });
    await expect(resolver.resolve("a.example")).rejects.toThrow("no");
    expect(await resolver.resolve("a.example")).toEqual(address(1));
  });

  test("remembers a bounded number of names and forgets the oldest", async () => {
    const lookup = vi.fn<Lookup>(async () => address(1));
    const resolver = new Resolver(lookup, { rememberedMs: 60_000, namesMax: 2 });
    for (const name of ["a", "b", "c", "b", "c", "a"]) await resolver.resolve(name);
    expect(lookup.mock.calls.map(([name]) => name)).toEqual(["a", "b", "c", "a"]);
  });
});
