// Writing a job: what comes of it shows while it is written, and what is wrong stands where it is wrong.

import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const WAIT = { timeout: 30_000 };

const browser = useBrowser();
const server = useDevServer();

const echo = () => ({ type: "http" as const, url: `${server().url}/dev/echo` });

test("the next ten runs of an expression come from the server while it is typed, and a wrong one is told at the field", async () => {
  const { page } = await browser.enter(server(), "/jobs/new");
  const expression = page.getByRole("textbox", { name: "Cron expression" });
  const runs = page.getByRole("table", { name: "The next runs" }).getByRole("time");
  const shown = () => runs.evaluateAll((all) => all.map((each) => each.getAttribute("datetime")));
  await expression.fill("30 6 1 1 *");
  const schedule = { cron: "30 6 1 1 *" };
  const { instants, description } = await server().client.schedules.preview({ schedule, count: 10 });
  await expect.poll(shown, WAIT).toEqual(instants.map(({ at }) => at));
  await page.getByText(description).first().waitFor();

  await expression.fill("61 6 * * *");
  await expression.and(page.locator("[aria-invalid=true]")).waitFor();
  // The reason belongs to the field: whoever hears the page has it read out with it.
  await expect.poll(() => reasonOf(expression)).toMatch(/61/);
});

test("the builder writes the expression, and an expression shows in the builder", async () => {
  const { page } = await browser.enter(server(), "/jobs/new");
  const expression = page.getByRole("textbox", { name: "Cron expression" });
  const runs = page.getByRole("combobox", { name: "Runs" });
  await runs.selectOption("Monday to Friday");
  await page.getByLabel("At", { exact: true }).fill("07:45");
  await expect.poll(() => expression.inputValue(), WAIT).toBe("45 7 * * 1-5");
  await expression.fill("*/15 * * * *");
  await expect.poll(() => runs.inputValue(), WAIT).toBe("minutes");
  await expression.fill("0 9 * * 1#1");
  await expect.poll(() => runs.inputValue(), WAIT).toBe("custom");
});

test("saving makes a new version, whose difference from the one before is shown", async () => {
  await server().client.jobs.create({ name: "to-be-changed", schedule: { cron: "0 3 * * *" }, target: echo() });
  const { page } = await browser.enter(server(), "/jobs/to-be-changed");
  await page.getByRole("link", { name: "Edit" }).click();
  const expression = page.getByRole("textbox", { name: "Cron expression" });
  await expect.poll(() => expression.inputValue(), WAIT).toBe("0 3 * * *");
  await expression.fill("0 4 * * *");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("to-be-changed is saved.").waitFor();
  await page.getByRole("heading", { name: /^to-be-changed/, level: 1 }).waitFor();
  await page.getByRole("link", { name: "Versions" }).click();
  const lines = page.getByRole("listitem");
  await lines
    .filter({ hasText: /removed:.*0 3 \* \* \*/ })
    .first()
    .waitFor();
  await lines
    .filter({ hasText: /added:.*0 4 \* \* \*/ })
    .first()
    .waitFor();
  expect(await server().client.jobs.get("to-be-changed")).toMatchObject({
    version: 2,
    schedule: { cron: "0 4 * * *" },
  });
});

test("whoever edits what somebody else has changed meanwhile is told, and loses nothing", async () => {
  await server().client.jobs.create({ name: "two-editors", schedule: null, target: echo() });
  const { page } = await browser.enter(server(), "/jobs/two-editors/edit");
  await page.getByRole("textbox", { name: "Description" }).fill("mine");
  await server().client.jobs.patch("two-editors", { description: "theirs" });
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("As it is now").first().waitFor();
  await page.getByText("theirs").first().waitFor();
  await page.getByText("As you have it").first().waitFor();
});

test("the whole job can be written as JSON, and what is wrong with it is said", async () => {
  const { page } = await browser.enter(server(), "/jobs/new?as=json");
  // Until it is loaded there is a plain field of the same name.
  const editor = page.getByRole("textbox", { name: "Job as JSON" }).and(page.locator("[contenteditable]"));
  await editor.fill('{ "name": "by-hand", ');
  await page.getByText("There is JSON with a mistake in it: it cannot be saved yet.").waitFor();
  await editor.fill(JSON.stringify({ name: "by-hand", schedule: null, target: { type: "http", url: "nowhere" } }));
  await page
    .getByText(/target\.url/)
    .first()
    .waitFor();
  await editor.fill(JSON.stringify({ name: "by-hand", schedule: null, target: echo() }));
  await page.getByRole("button", { name: "Create job" }).click();
  await page.getByRole("heading", { name: /^by-hand/, level: 1 }).waitFor();
});

/** What is said with a field: what is wrong with it, among others. */
async function reasonOf(field: Locator): Promise<string> {
  return await field.evaluate((element) =>
    (element.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id: string) => element.ownerDocument.getElementById(id)?.textContent ?? "")
      .join(" "),
  );
}
