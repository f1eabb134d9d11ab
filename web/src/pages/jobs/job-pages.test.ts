import type { Job } from "punctual/client";
import { expect, test } from "vitest";
import { type JobPage, pagesOf, readAgain } from "./job-pages.ts";

const SIZE = 3;

/** A list of names in order; a cursor is the last name before a page. */
function listOf(names: readonly string[]) {
  const reads: (string | null)[] = [];
  const read = async (cursor: string | null): Promise<JobPage> => {
    reads.push(cursor);
    const rest = names.filter((name) => cursor === null || name > cursor);
    const items = rest.slice(0, SIZE).map((id) => ({ id }) as Job);
    return { items, nextCursor: rest.length > SIZE ? items.at(-1)!.id : null, readAt: 0 };
  };
  return { reads, read };
}

async function wholeList(names: readonly string[]): Promise<JobPage[]> {
  const { read } = listOf(names);
  const pages = [await read(null)];
  while (pages.at(-1)!.nextCursor !== null) pages.push(await read(pages.at(-1)!.nextCursor));
  return pages;
}

function idsOf(pages: readonly JobPage[]): string {
  return pages.map(({ items }) => items.map(({ id }) => id).join("")).join(" ");
}

test("a list that nobody has read yet begins with its first page", async () => {
  const { read, reads } = listOf([..."abcdefg"]);
  expect(idsOf(await readAgain({ known: () => [], sight: { first: 0, last: 0 }, read }))).toBe("abc");
  expect(reads).toEqual([null]);
});

test("only the pages in sight are read again, and those around them stay", async () => {
  const known = await wholeList([..."abcdefghijkl"]);
  const { read, reads } = listOf([..."abcdefghijkl"]);
  const pages = await readAgain({ known: () => known, sight: { first: 1, last: 2 }, read });
  expect(reads).toEqual(["c", "f"]);
  expect(idsOf(pages)).toBe("abc def ghi jkl");
  expect(pages[0]).toBe(known[0]);
  expect(pages[3]).toBe(known[3]);
});

test("when the pages in sight end elsewhere, those below are let go, so that no row is lost between them", async () => {
  const known = await wholeList([..."acegikmo"]);
  const { read } = listOf([..."abcegikmo"]);
  const pages = await readAgain({ known: () => known, sight: { first: 0, last: 0 }, read });
  expect(idsOf(pages)).toBe("abc");
  expect(pages.at(-1)!.nextCursor).toBe("c");
});

test("a page that was added while others were read is kept", async () => {
  const all = await wholeList([..."abcdefghi"]);
  let known = all.slice(0, 2);
  const { read } = listOf([..."abcdefghi"]);
  const pages = await readAgain({
    known: () => known,
    sight: { first: 1, last: 1 },
    read: async (cursor) => {
      known = all;
      return await read(cursor);
    },
  });
  expect(idsOf(pages)).toBe("abc def ghi");
});

test("a list that became shorter ends where it ends now", async () => {
  const known = await wholeList([..."abcdefghi"]);
  const { read } = listOf([..."abcde"]);
  const pages = await readAgain({ known: () => known, sight: { first: 1, last: 2 }, read });
  expect(idsOf(pages)).toBe("abc de");
});

test("a job that moved into sight is not shown twice", async () => {
  const known = await wholeList([..."abcdef"]);
  const read = async (): Promise<JobPage> => ({
    items: [..."eb"].map((id) => ({ id }) as Job),
    nextCursor: null,
    readAt: 0,
  });
  expect(idsOf(await readAgain({ known: () => known, sight: { first: 1, last: 1 }, read }))).toBe("ac eb");
});

test("rows are found in their pages, however many each has", async () => {
  const pages = await wholeList([..."abcdefgh"]);
  expect(pagesOf(pages, 0, 2)).toEqual({ first: 0, last: 0 });
  expect(pagesOf(pages, 2, 6)).toEqual({ first: 0, last: 2 });
  expect(pagesOf(pages, 7, 99)).toEqual({ first: 2, last: 2 });
  expect(pagesOf([], 0, 0)).toEqual({ first: 0, last: 0 });
});
