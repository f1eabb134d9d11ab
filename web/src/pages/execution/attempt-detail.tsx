import { Link } from "@tanstack/react-router";
import type { Attempt, Execution } from "punctual/client";
import type { ReactNode } from "react";
import { outcomeLook } from "../../charts/attempt-outcome.ts";
import { Card, Facts } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Code } from "../../ui/copy.tsx";
import { durationText } from "../../ui/duration.ts";
import { Badge, TONE_TEXT, type Tone } from "../../ui/state-badge.tsx";
import { FullTime } from "../../ui/time.tsx";
import { prettyText } from "./pretty-text.ts";

/** One attempt: what was asked, what was answered, what went wrong, and where. */
export function AttemptDetail({
  attempt,
  execution,
  aside,
}: {
  attempt: Attempt;
  execution: Execution;
  aside?: ReactNode;
}) {
  const { icon, tone, text } = outcomeLook(attempt);
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Attempt {attempt.number}
          <Badge icon={icon} tone={tone} text={text} spins={attempt.outcome === null} />
        </span>
      }
      aside={aside}
    >
      <div className="flex flex-col gap-5">
        {attempt.error && <ErrorPart error={attempt.error} tone={tone} />}
        <Facts items={factsOf(attempt, execution)} />
        {attempt.response && <ResponsePart response={attempt.response} />}
      </div>
    </Card>
  );
}

function factsOf(attempt: Attempt, { jobId }: Execution): [string, ReactNode][] {
  const { request, startedAt, finishedAt, node, worker, jobVersion } = attempt;
  const facts: [string, ReactNode][] = [];
  if (request)
    facts.push([
      "Request",
      <span key="request" className="font-mono text-xs">
        {request.method} {request.url}
      </span>,
    ]);
  facts.push(["Started", <FullTime key="started" at={startedAt} />]);
  if (finishedAt !== null) facts.push(["Took", durationText(Date.parse(finishedAt) - Date.parse(startedAt))]);
  if (worker !== null) facts.push(["Worker", worker]);
  else if (node !== null) facts.push(["Node", node]);
  facts.push([
    "Job version",
    <Link
      key="version"
      to="/jobs/$job"
      params={{ job: jobId }}
      className="text-accent underline-offset-2 hover:underline"
    >
      {jobVersion}
    </Link>,
  ]);
  return facts;
}

function ErrorPart({
  error: { code, message, stack, cause },
  tone,
}: {
  error: NonNullable<Attempt["error"]>;
  tone: Tone;
}) {
  return (
    <section aria-label="Error" className="flex flex-col gap-2">
      <p className="[overflow-wrap:anywhere]">
        <span className={cx("font-medium", TONE_TEXT[tone])}>{message}</span>{" "}
        <span className="text-muted font-mono text-xs">{code}</span>
      </p>
      {cause !== undefined && (
        <p className="[overflow-wrap:anywhere]">
          <span className="text-muted">Caused by:</span> {cause}
        </p>
      )}
      {stack !== undefined && <Code label="stack of the error" text={stack} />}
    </section>
  );
}

function ResponsePart({
  response: { status, headers, body, truncated },
}: {
  response: NonNullable<Attempt["response"]>;
}) {
  const names = Object.keys(headers).sort();
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">
        Response <span className={status < 400 ? "text-ok" : "text-bad"}>{status}</span>
      </h3>
      {body === null || body === "" ? (
        <p className="text-muted">It had no body.</p>
      ) : (
        <Code label="body of the response" text={prettyText(body)} wrap />
      )}
      {truncated && <p className="text-warn text-xs">The answer was longer; only its beginning is kept.</p>}
      {names.length > 0 && (
        <details>
          <summary className="text-muted hover:text-ink w-fit text-xs">{names.length} headers</summary>
          <table aria-label="Headers of the response" className="mt-2 w-full table-fixed text-left text-xs">
            <tbody>
              {names.map((name) => (
                <tr key={name} className="border-line border-t">
                  <th scope="row" className="text-muted w-40 py-1 pr-3 align-top font-normal [overflow-wrap:anywhere]">
                    {name}
                  </th>
                  <td className="py-1 font-mono [overflow-wrap:anywhere]">{headers[name]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  );
}
