// What users may import. A name that comes or goes is a change to be meant, so that it stands here too.

import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";

interface Entry {
  source: string;
  values: string[];
  types: string[];
}

const ENTRIES: Record<string, Entry> = {
  punctual: {
    source: "src/library/index.ts",
    values: words(`
      NoRetry Punctual PunctualError RetryAfter RunAborted RunCancelled RunLost RunTimedOut WorkerStopped`),
    types: words(`
      EventType JobHandle JobOptions ListOptions ListedJob ProgramEvent ProgramLog PunctualOptions Run RunLog
      ScheduleOptions SqlClient TriggerOptions Triggered`),
  },
  "punctual/client": {
    source: "src/client/index.ts",
    values: words(`
      NoRetry PunctualApiError PunctualClient PunctualConnectionError RetryAfter RunAborted RunCancelled RunLost
      RunTimedOut WaitTimeoutError WebhookVerificationError Worker WorkerStopped expressWebhooks fastifyWebhooks
      honoWebhooks reportCallback verifyRequest verifyWebhook webhookOf`),
    types: words(`
      AddedMember ApiKey ApiKeyState Attempt AttemptError AuditEntry AuditFilter AuditQuery BulkAnswer
      BulkDeadLettersInput BulkExecutionsInput BulkFailure BulkJobsInput CallOptions CallbackInput CancelInput
      ChangeOptions ClaimInput ClientOptions CreateOptions DeadLetter DeadLetterGroup DeadLetterGroupQuery
      DeadLetterQuery DeadLetterStatus DeleteJobOptions DetailedHealth ErrorCode ErrorContext EventOptions
      EventType Execution ExecutionCounts ExecutionFilter ExecutionInclude ExecutionQuery ExecutionState
      ExpressWebhookOptions FailingJob FailingJobs FailingJobsQuery FollowOptions HandedOut Handler
      HandlerOptions HandlerView Health HeartbeatAnswer HeartbeatInput HttpTarget Job JobCounts
      JobCountsFilter JobDay JobDays JobDaysQuery JobExecutionQuery JobInclude JobInput JobQuery JobRecent
      JobSeries JobSeriesQuery JobSort JobSpec JobState JobStats JobVersion Json LogLevel LogLine LogQuery
      Login LogsAccepted MadeApiKey Me Member MemberChange NewApiKey NewMember NewProject NextQuery NodeView
      OnError OverlapPolicy Page PageQuery PasswordChange Pause PauseInput PreviewInput Problem Project
      PunctualEvent PutOptions ReadJobOptions Reason ReceivedWebhook Registered Registration RetryInput Role
      Run RunLog SafeParseSchema Schedule ScheduleInput SchedulePreview Schema Scope Secret SeriesPoint
      SeriesQuery Session Settled SettlementInput Setup ShellTarget SigningKey SigningKeyInput StandardSchema
      Stats StatsQuery StatsSeries StreamReset StreamedEvent Target TargetTestInput Timeline TimelineLane
      TimelinePlanned TimelineQuery TimelineSpan Trigger TriggerInput TriggerOfJob Triggered
      TriggeredExecution VerifyOptions WaitOptions Warning Ways WebhookCall WebhookRefusal WorkerLogsInput
      WorkerOptions WorkerTarget WorkerView`),
  },
  "punctual/testing": {
    source: "src/library/testing.ts",
    values: words(`
      startStepped`),
    types: words(`
      Execution SteppedTime`),
  },
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

describe.each(Object.entries(ENTRIES))("%s", (name, { source, values, types }) => {
  const file = new URL(`../../${source}`, import.meta.url);

  test("exports exactly what is written here", () => {
    const exported = exportsOf(source, readFileSync(file, "utf8"));
    expect(exported.filter(({ isType }) => !isType).map(({ name }) => name)).toEqual(values);
    expect(exported.filter(({ isType }) => isType).map(({ name }) => name)).toEqual(types);
  });

  test("can be imported under its name, and has these values", async () => {
    const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    const published = exports[name.replace("punctual", ".")].default;
    expect(published).toBe(source.replace(/^src/, "./dist").replace(/ts$/, "js"));
    expect(Object.keys(await import(file.href)).toSorted()).toEqual(values.toSorted());
  });
});

test("nothing else can be imported", () => {
  const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(Object.keys(exports)).toEqual([".", "./client", "./testing", "./package.json"]);
});

/** Every name that a file exports, in the order of the alphabet. `export *` would let names in that nobody wrote down. */
function exportsOf(path: string, text: string): { name: string; isType: boolean }[] {
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return statements
    .flatMap((statement): { name: string; isType: boolean }[] => {
      if (ts.isExportDeclaration(statement)) {
        if (!statement.exportClause || !ts.isNamedExports(statement.exportClause))
          return [{ name: "*", isType: false }];
        return statement.exportClause.elements.map((element) => ({
          name: element.name.text,
          isType: statement.isTypeOnly || element.isTypeOnly,
        }));
      }
      return declared(statement);
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function declared(statement: ts.Statement): { name: string; isType: boolean }[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => ({
      name: (name as ts.Identifier).text,
      isType: false,
    }));
  const { name } = statement as ts.DeclarationStatement;
  const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  return [{ name: (name as ts.Identifier).text, isType }];
}
