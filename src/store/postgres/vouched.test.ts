import { expect, onTestFinished, test, vi } from "vitest";
import { useTestStore } from "../../../tests/support/store.ts";

const t = useTestStore();

test("of two first sign-ins of one person at once, the second finds what the first has bound", async () => {
  const email = "ann@example.com";
  const { id } = await t.store.accounts.ensure({ email, name: "Ann", instanceAdmin: false, createdBy: "test" });
  const first = await t.pool.connect();
  onTestFinished(() => first.release());
  await first.query("begin");
  await first.query("update punctual.account set oidc_issuer = 'i', oidc_subject = 's' where id = $1", [id]);
  const second = t.store.accounts.vouched({ issuer: "i", subject: "s", email });
  const impostor = t.store.accounts.vouched({ issuer: "i", subject: "another", email });
  await vi.waitUntil(async () => (await waiting()) === 2, { timeout: 20_000 });
  await first.query("commit");
  expect(await second).toMatchObject({ id });
  expect(await impostor).toBeNull();
});

async function waiting(): Promise<number> {
  const { rowCount } = await t.pool.query(
    "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  return rowCount ?? 0;
}
