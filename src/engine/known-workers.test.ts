import { expect, test } from "vitest";
import { KnownWorkers } from "./known-workers.ts";

const PROJECT = "p";

function known(leaseMs = 30_000) {
  const state = { now: 0, renewals: 0, registered: true };
  const renew = async () => {
    state.renewals += 1;
    return state.registered ? { holder: "h", name: "anna", leaseMs, draining: false, handlers: [] } : null;
  };
  return { state, workers: new KnownWorkers({ renew }, () => state.now) };
}

test("a lease that was renewed within the last second is not renewed again for a call", async () => {
  const { state, workers } = known();
  await workers.heard(PROJECT, "w");
  state.now = 999;
  await workers.heard(PROJECT, "w");
  expect(state.renewals).toBe(1);
  state.now = 1_000;
  await workers.heard(PROJECT, "w");
  expect(state.renewals).toBe(2);
});

test("a short lease is renewed when a tenth of it has passed", async () => {
  const { state, workers } = known(5_000);
  await workers.heard(PROJECT, "w");
  state.now = 500;
  await workers.heard(PROJECT, "w");
  expect(state.renewals).toBe(2);
});

test("a heartbeat always renews, and a worker that is not known is asked for every time", async () => {
  const { state, workers } = known();
  await workers.renew(PROJECT, "w");
  await workers.renew(PROJECT, "w");
  expect(state.renewals).toBe(2);
  state.registered = false;
  expect(await workers.renew(PROJECT, "w")).toBeNull();
  expect(await workers.heard(PROJECT, "w")).toBeNull();
  expect(state.renewals).toBe(4);
});

test("what is forgotten is asked for again, and projects do not share workers", async () => {
  const { state, workers } = known();
  await workers.heard(PROJECT, "w");
  await workers.heard("other", "w");
  expect(state.renewals).toBe(2);
  workers.forget(PROJECT, "w");
  await workers.heard(PROJECT, "w");
  expect(state.renewals).toBe(3);
});
