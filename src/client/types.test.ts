// What the compiler promises to those who use the client. `npm run typecheck` is what makes these fail.

import { expectTypeOf, test } from "vitest";
import type {
  AuditEntry,
  Execution,
  ExecutionState,
  Job,
  JobInput,
  JobState,
  LogLine,
  Me,
  Member,
  Page,
  SchedulePreview,
  StreamedEvent,
  StreamReset,
  WebhookCall,
} from "./index.ts";
import { PunctualApiError, PunctualClient, verifyWebhook, webhookOf } from "./index.ts";

const client = new PunctualClient({ url: "http://127.0.0.1:1" });

test("a job is written with a target alone, and everything else may be left out", () => {
  expectTypeOf<{ target: { type: "worker"; handler: string } }>().toExtend<JobInput>();
  expectTypeOf<{ target: { type: "http"; url: string } }>().toExtend<JobInput>();
  expectTypeOf<{ name: string }>().not.toExtend<JobInput>();
  expectTypeOf<{ target: { type: "http" } }>().not.toExtend<JobInput>();
  expectTypeOf<JobInput["overlap"]>().toEqualTypeOf<
    "allow" | "skip" | "queue_one" | "queue_all" | "cancel_previous" | undefined
  >();
  // @ts-expect-error a typing error in a field's name is found while it is written
  void ({ target: { type: "worker", handler: "x" }, retires: {} } satisfies JobInput);
  expectTypeOf(client.jobs.create).toBeCallableWith({ target: { type: "http", url: "https://x" }, paused: true });
});

test("what was read can be written back", () => {
  expectTypeOf<Job>().toExtend<JobInput>();
  expectTypeOf(client.jobs.put).parameter(1).toEqualTypeOf<JobInput>();
});

test("a payload is anything: interfaces have no index signature and are welcome all the same", () => {
  interface Order {
    id: number;
    lines: string[];
  }
  expectTypeOf(client.jobs.trigger).toBeCallableWith("bill", { payload: {} as Order, runAt: new Date() });
});

test("answers have the contract's types", () => {
  expectTypeOf(client.jobs.list).returns.resolves.toEqualTypeOf<Page<Job>>();
  expectTypeOf(client.jobs.all).returns.toEqualTypeOf<AsyncIterable<Job>>();
  expectTypeOf(client.jobs.next).returns.resolves.toEqualTypeOf<SchedulePreview>();
  expectTypeOf(client.jobs.trigger).returns.resolves.toExtend<Execution & { deduplicated: boolean }>();
  expectTypeOf(client.jobs.delete).returns.resolves.toBeVoid();
  expectTypeOf(client.executions.get).returns.resolves.toEqualTypeOf<Execution>();
  expectTypeOf(client.executions.followLogs).returns.toEqualTypeOf<AsyncIterable<LogLine>>();
  expectTypeOf(client.members.add).returns.resolves.toExtend<Member & { link: string | null }>();
  expectTypeOf(client.audit.export).returns.toExtend<AsyncIterable<AuditEntry>>();
  expectTypeOf(client.auth.login).returns.resolves.toEqualTypeOf<Me>();
  expectTypeOf<Job["state"]>().toEqualTypeOf<JobState>();
  expectTypeOf<Execution["state"]>().toEqualTypeOf<ExecutionState>();
});

test("queries take one value or several, and times as dates or text", () => {
  expectTypeOf(client.jobs.list).toBeCallableWith({ state: "active", limit: 10, sort: "-nextFireAt" });
  expectTypeOf(client.executions.list).toBeCallableWith({
    state: ["failed", "unknown"],
    from: new Date(),
    to: "2026-12-01T00:00:00Z",
    include: ["attempts"],
  });
  expectTypeOf(client.audit.list).toBeCallableWith({ action: ["job", "member.add"], from: new Date(), instance: true });
  // @ts-expect-error an export has no pages
  void (() => client.audit.export({ limit: 10 }));
  // @ts-expect-error no such role
  void (() => client.members.change("id", { role: "owner" }));
  // @ts-expect-error no such state
  void (() => client.jobs.list({ state: "broken" }));
  // @ts-expect-error no such parameter
  void (() => client.jobs.list({ states: "active" }));
});

test("an event is told from a reset by its type", async () => {
  async function read(event: StreamedEvent | StreamReset) {
    if (event.type === "reset") expectTypeOf(event).toEqualTypeOf<StreamReset>();
    else expectTypeOf(event.data.executionId).toEqualTypeOf<string | undefined>();
  }
  expectTypeOf(read).parameter(0).toEqualTypeOf<StreamedEvent | StreamReset>();
  expectTypeOf(client.events.stream).returns.toExtend<AsyncIterable<StreamedEvent | StreamReset>>();
});

test("a verified call's payload has the type that the receiver gives it", () => {
  expectTypeOf(verifyWebhook<{ amount: number }>).returns.resolves.toEqualTypeOf<WebhookCall<{ amount: number }>>();
  expectTypeOf(webhookOf).returns.toEqualTypeOf<WebhookCall<unknown>>();
  expectTypeOf<WebhookCall["attempt"]>().toEqualTypeOf<number | null>();
});

test("an error's code completes to the known ones and takes those to come", () => {
  expectTypeOf<"not_found">().toExtend<PunctualApiError["code"]>();
  expectTypeOf<string>().toExtend<PunctualApiError["code"]>();
  expectTypeOf(PunctualApiError).instance.toExtend<Error>();
});
