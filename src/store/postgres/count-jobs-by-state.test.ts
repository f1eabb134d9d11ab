import { expect, test } from "vitest";
import { createJob, PROJECT, useTestStore } from "../../../tests/support/store.ts";
import { JOB_SEARCH_MAX, TAGS_MAX } from "../../contract/job-counts.ts";
import type { ProjectRecord } from "../port/projects.ts";

const t = useTestStore();

test("jobs are counted in each state, with the tags of those that are there", async () => {
  await createJob(t.store, { tags: ["billing", "nightly"] });
  await createJob(t.store, { tags: ["billing"], description: "Sends the Weekly Digest" });
  await createJob(t.store, { tags: ["nightly", "billing"] }, { paused: true });
  const { id } = await createJob(t.store, { tags: ["gone", "billing"] });
  await t.store.jobs.delete(PROJECT, id, { actor: "test" });
  const states = { active: 2, paused: 1, completed: 0, deleted: 1 };
  const tags = [
    { tag: "billing", jobs: 3 },
    { tag: "nightly", jobs: 2 },
  ];
  expect(await t.store.jobs.counts(PROJECT, {})).toEqual({ ...states, tags, complete: true });
  expect(await t.store.jobs.counts(PROJECT, { tags: ["nightly"] })).toMatchObject({ active: 1, paused: 1, deleted: 0 });
  expect(await t.store.jobs.counts(PROJECT, { text: "weekly DIG" })).toMatchObject({
    active: 1,
    paused: 0,
    deleted: 0,
  });
  expect(await t.store.jobs.counts(PROJECT, { text: "ob" })).toMatchObject(states);
  expect(await t.store.jobs.counts(PROJECT, { source: "file:none" })).toMatchObject({ active: 0, tags: [] });
  const nobody = { active: 0, paused: 0, completed: 0, deleted: 0, tags: [], complete: true };
  expect(await t.store.jobs.counts(crypto.randomUUID(), {})).toEqual(nobody);
});

test("of many tags the most used are told, and a text is not looked for without end", async () => {
  const { id: projectId } = (await t.store.projects.create("crowded", Buffer.alloc(32))) as ProjectRecord;
  await t.pool.query(
    `with jobs as (
       insert into punctual.job (id, project_id, name, state, version, tags, priority, lane, overlap, created_at, updated_at)
       select gen_random_uuid(), $1, 'n-' || i, 'active', 1, array['often', 'tag-' || i], 50, 'l', 'skip', now(), now()
       from generate_series(1, $2::integer) i returning id, name
     )
     insert into punctual.job_version (job_id, version, spec, created_at)
     select id, 1, json_build_object('name', name, 'description', ''), now() from jobs`,
    [projectId, JOB_SEARCH_MAX + 1],
  );
  const all = await t.store.jobs.counts(projectId, {});
  expect(all).toMatchObject({ active: JOB_SEARCH_MAX + 1, complete: true });
  expect(all.tags).toHaveLength(TAGS_MAX);
  expect(all.tags[0]).toEqual({ tag: "often", jobs: JOB_SEARCH_MAX + 1 });
  expect(await t.store.jobs.counts(projectId, { text: "n-" })).toMatchObject({
    active: JOB_SEARCH_MAX,
    complete: false,
  });
});
