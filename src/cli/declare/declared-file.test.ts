import { describe, expect, test } from "vitest";
import { readDeclaredFile } from "./declared-file.ts";
import { describePlace } from "./documents.ts";

const FILE = "jobs.yaml";

function read(text: string, presetSource: string | null = "file:jobs") {
  return readDeclaredFile(text, FILE, presetSource);
}

/** Every problem as one line, as a person reads it. */
function problems(text: string, presetSource?: string | null): string[] {
  return read(text, presetSource).problems.map(({ place, job, field, message }) =>
    [describePlace(place), job, field, message].filter((part) => part !== null).join(" "),
  );
}

describe("a file says which jobs there are", () => {
  test("jobs by name, with their source and where they stand", () => {
    const { jobs, sources, problems } = read(`source: billing
jobs:
  nightly:
    schedule: { cron: "0 2 * * *" }
    target:
      type: worker
      handler: report
`);
    expect(problems).toEqual([]);
    expect(sources).toEqual([{ source: "file:billing", named: true }]);
    expect(jobs[0]).toMatchObject({
      name: "nightly",
      source: "file:billing",
      fields: { schedule: { cron: "0 2 * * *" }, target: { type: "worker", handler: "report" } },
    });
    expect(jobs[0]!.placeOf("target.handler")).toEqual({ file: FILE, line: 7, column: 7 });
    expect(jobs[0]!.placeOf("schedule.cron")).toEqual({ file: FILE, line: 4, column: 17 });
    expect(jobs[0]!.placeOf("retry.maxAttempts")).toEqual({ file: FILE, line: 3, column: 3 });
  });

  test("without a source it is named after the file", () => {
    expect(read("jobs: { a: { target: { type: worker, handler: x } } }").sources).toEqual([
      { source: "file:jobs", named: false },
    ]);
    expect(problems("jobs: {}", null)[0]).toMatch(/source is missing/);
  });

  test("several documents each have their own source and defaults", () => {
    const { jobs } = read(`source: one
defaults: { priority: 10 }
jobs: { a: {} }
---
source: two
jobs: { b: {} }
---
`);
    expect(jobs.map(({ name, source, fields }) => [name, source, fields])).toEqual([
      ["a", "file:one", { priority: 10 }],
      ["b", "file:two", {}],
    ]);
  });

  test("JSON is read as well, also with tabs", () => {
    const text = JSON.stringify({ source: "billing", jobs: { a: { payload: { n: 1 } } } }, null, "\t");
    expect(read(text).jobs[0]).toMatchObject({ name: "a", fields: { payload: { n: 1 } } });
  });

  test("anchors, merges and fields of one's own save repetition", () => {
    const { jobs, problems } = read(`x-quick: &quick { timeout: 5s, priority: 90 }
jobs:
  a: { <<: *quick, priority: 10 }
  b: *quick
`);
    expect(problems).toEqual([]);
    expect(jobs.map(({ fields }) => fields)).toEqual([
      { timeout: "5s", priority: 10 },
      { timeout: "5s", priority: 90 },
    ]);
  });

  test("an anchor may serve a thousand jobs", () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `  job-${i}: *common`);
    expect(read(`x-c: &common { timeout: 5s }\njobs:\n${names.join("\n")}\n`).jobs).toHaveLength(1_000);
  });

  test("codes may be written as the numbers they look like", () => {
    const { jobs } = read("jobs: { a: { retry: { on: [429, 5xx] }, target: { type: http, successOn: [204] } } }");
    expect(jobs[0]!.fields).toMatchObject({ retry: { on: ["429", "5xx"] }, target: { successOn: ["204"] } });
  });

  test("a placeholder of the environment is kept, and said to be", () => {
    const { jobs, notes } = read("jobs: { a: { target: { url: 'https://$" + "{HOST}/x' } } }");
    expect(jobs[0]!.fields).toEqual({ target: { url: "https://$" + "{HOST}/x" } });
    expect(notes[0]).toMatch(/^a: \$\{HOST\} is sent as it is written/);
  });
});

describe("what is wrong is told with its place", () => {
  test("text that is no YAML, and keys given twice", () => {
    expect(problems("jobs:\n  a: { b: [ }\n")[0]).toMatch(/^jobs\.yaml:2:\d+ this is not YAML/);
    expect(problems("jobs:\n  a: {}\n  a: {}\n")[0]).toMatch(/^jobs\.yaml:3:3 .*unique/);
    expect(problems("jobs:\n  a: !command x\n")[0]).toMatch(/^jobs\.yaml:2:6 .*tag/i);
  });

  test("an empty file, and one that is something else", () => {
    expect(problems("")[0]).toMatch(/is empty/);
    expect(problems("---\n# nothing\n")[0]).toMatch(/is empty/);
    expect(problems("- a\n- b\n")[0]).toMatch(/not a list/);
    expect(problems("jobs:\n")[0]).toMatch(/jobs must be names with their jobs, not nothing/);
    expect(problems("jobs: [{ name: a }]\n")[0]).toMatch(/not a list/);
    expect(problems("kind: CronJob\njobs: {}\n")[0]).toMatch(/^jobs\.yaml:1:1 kind there is no "kind"/);
  });

  test("all problems of all jobs at once", () => {
    const found = problems(`source: [a]
defaults: { schedule: { every: 1h }, prio: 1 }
jobs:
  a: { paused: true }
  -b: {}
  c: 7
  d: { name: e, id: x }
`);
    expect(found).toEqual([
      expect.stringMatching(/^jobs\.yaml:1:1 source must be a name/),
      expect.stringMatching(/^jobs\.yaml:2:13 defaults\.schedule cannot be a default/),
      expect.stringMatching(/^jobs\.yaml:2:38 defaults\.prio cannot be a default/),
    ]);
    const inJobs = problems("jobs:\n  a: { paused: true }\n  -b: {}\n  c: 7\n  d: { name: e, id: x }\n");
    expect(inJobs).toEqual([
      expect.stringMatching(/^jobs\.yaml:2:8 a paused .*punctual jobs pause a/),
      expect.stringMatching(/^jobs\.yaml:3:3 -b the name "-b" must start with/),
      expect.stringMatching(/^jobs\.yaml:4:3 c must be fields of a job, not the number 7/),
      expect.stringMatching(/^jobs\.yaml:5:8 d name is "e", but the job is called "d"/),
      expect.stringMatching(/^jobs\.yaml:5:17 d id is only read/),
    ]);
  });

  test("a star without quotes is told with its place, once", () => {
    expect(problems("jobs:\n  a:\n    schedule: { every: 1h }\n  b:\n    schedule: *daily\n")).toEqual([
      'jobs.yaml:5:15 "*daily" refers to an anchor that is not there; a value that begins with * needs quotes',
    ]);
    expect(problems("jobs:\n  a:\n    schedule:\n      cron: */5 * * * *\n  b: *c\n")).toEqual([
      expect.stringMatching(/^jobs\.yaml:4:\d+ this is not YAML: .*alias.*; a value that begins with \* needs quotes$/),
    ]);
  });

  test("aliases that multiply and structures without end are refused", () => {
    const letters = [..."abcdefghi"];
    const bomb = letters
      .map(
        (letter, i) =>
          `x-${letter}: &${letter} [${Array(9)
            .fill(i === 0 ? "x" : `*${letters[i - 1]}`)
            .join(", ")}]`,
      )
      .join("\n");
    expect(problems(`${bomb}\njobs: { a: { payload: *i } }\n`)[0]).toMatch(/cannot be read: Excessive alias count/);
    expect(problems(`jobs: { a: { payload: ${"[".repeat(200)}${"]".repeat(200)} } }`)[0]).toMatch(/levels deep/);
    expect(problems("jobs: { a: &a { payload: *a } }")[0]).toMatch(/jobs\.yaml/);
  });

  test("a field that comes from the defaults is found there", () => {
    const { jobs } = read("defaults:\n  retry:\n    maxAttempts: 0\njobs:\n  a: { timeout: 1s }\n");
    expect(jobs[0]!.placeOf("retry.maxAttempts")).toMatchObject({ line: 3, column: 5 });
    expect(jobs[0]!.placeOf("timeout")).toMatchObject({ line: 5, column: 8 });
  });
});
