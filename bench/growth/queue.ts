// Does a claim or a settle care how much is waiting?

import type { Progress } from "../support/measure.ts";
import { percentile } from "../support/statistics.ts";
import { type Growth, plotOf, type Section } from "./growth.ts";
import { type Shape, WaitingWork } from "./waiting-work.ts";

const DEPTHS = [1_000, 10_000, 100_000, 1_000_000];
const DEPTHS_QUICK = [1_000, 10_000];
const ROUNDS = 30;
const ROUNDS_QUICK = 3;
const WARM_UP = 3;

const ONE: Shape = { name: "one lane, one priority", lane: "'a.example'", priority: "50" };
const SHAPES: readonly Shape[] = [
  ONE,
  { name: "10 lanes, 5 priorities", lane: "'h' || g % 10 || '.example'", priority: "10 + 20 * (g / 10 % 5)" },
  { name: "1,000 lanes, one priority", lane: "'h' || g % 1000 || '.example'", priority: "50" },
];

/** The statistics by which the database plans are those of the moment when it last looked. */
const MOMENTS = ["never looked", "while it was empty", "while all of it was running", "now"] as const;

export const growth: Growth = {
  name: "growth-queue",
  title: "Waiting work: claims and settles",
  about: `So many executions of 1,000 jobs are due and wait. One node's store claims a hundred of them and settles them as succeeded, again and
again, once by priority and once by age, and as many come in as go out. Times are those of one statement with a hundred executions, from call to parsed
answer. The database is left to itself: it may vacuum and look at the table when it likes, or not, and in the last table it was made to look at the
wrong moment, which is what happens to a queue.`,
  measure: async (stage, progress) => {
    const depths = stage.quick ? DEPTHS_QUICK : DEPTHS;
    const rounds = stage.quick ? ROUNDS_QUICK : ROUNDS;
    const sections: Section[] = [];
    await WaitingWork.within(stage, "growth_queue", async (waiting) => {
      for (const shape of SHAPES) sections.push(await byDepth(waiting, shape, { depths, rounds, progress }));
      sections.push(
        await byStatistics(waiting, { depths: depths.filter((depth) => depth <= 100_000), rounds: 5, progress }),
      );
    });
    return sections;
  },
};

interface Extent {
  depths: readonly number[];
  rounds: number;
  progress: Progress;
}

async function byDepth(waiting: WaitingWork, shape: Shape, { depths, rounds, progress }: Extent): Promise<Section> {
  const rows: number[][] = [];
  for (const depth of depths) {
    progress(`growth-queue: laying out ${depth} in ${shape.name}`);
    await waiting.empty();
    await waiting.lay(depth, shape);
    progress(`growth-queue: measuring with ${depth} in ${shape.name}`);
    await waiting.timed(WARM_UP, shape);
    const { priority, oldest, settle } = await waiting.timed(rounds, shape);
    rows.push([
      depth,
      ...[priority, oldest, settle].flatMap((spans) => [percentile(spans, 0.5), percentile(spans, 0.95)]),
    ]);
  }
  const columns = ["waiting", "claim by priority p50", "p95", "claim by age p50", "p95 ", "settle p50", "p95  "];
  return {
    title: `ms for a hundred: ${shape.name}`,
    columns,
    rows,
    plots: [
      plotOf({ columns, rows }, ["claim by priority p50", "claim by age p50", "settle p50"], {
        title: `Claim and settle: ${shape.name}`,
        subtitle: "ms for a hundred executions, p50",
        xLabel: "executions waiting",
        logarithmicX: true,
      }),
    ],
  };
}

async function byStatistics(waiting: WaitingWork, { depths, rounds, progress }: Extent): Promise<Section> {
  const table: (string | number)[][] = [];
  await waiting.client.query("alter table punctual.queue set (autovacuum_enabled = false)");
  for (const moment of MOMENTS) {
    const cells: string[] = [];
    for (const depth of depths) {
      progress(`growth-queue: laying out ${depth}, looked at: ${moment}`);
      await lookAt(waiting, moment, depth);
      progress(`growth-queue: measuring with ${depth}, looked at: ${moment}`);
      const { priority, oldest, settle } = await waiting.timed(rounds, ONE);
      cells.push([priority, oldest, settle].map((spans) => percentile(spans, 0.5).toFixed(1)).join(" / "));
    }
    table.push([moment, ...cells]);
  }
  return {
    title: "ms for a hundred, by when the database last looked at the queue",
    columns: ["looked at it", ...depths.map((depth) => `${depth.toLocaleString("en-US")} waiting`)],
    rows: table,
    note: "Claim by priority / claim by age / settle, p50; one lane, one priority.",
    plots: [],
  };
}

async function lookAt(waiting: WaitingWork, moment: (typeof MOMENTS)[number], depth: number): Promise<void> {
  await waiting.empty();
  await waiting.client.query("delete from pg_statistic where starelid = 'punctual.queue'::regclass");
  if (moment === "while it was empty") await waiting.client.query("vacuum analyze punctual.queue");
  if (moment === "while all of it was running") {
    await waiting.lay(1_000, ONE);
    const claimed = [];
    for (let batch = 0; batch < 10; batch++) claimed.push(...(await waiting.claim("oldest")));
    await waiting.client.query("vacuum analyze punctual.queue");
    await waiting.settle(claimed);
  }
  await waiting.lay(depth, ONE);
  if (moment === "now") await waiting.client.query("vacuum analyze punctual.queue");
}
