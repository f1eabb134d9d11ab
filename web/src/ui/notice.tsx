import { CircleAlert, Inbox, Info, Lock, type LucideIcon, TriangleAlert } from "lucide-react";
import { PunctualApiError, PunctualConnectionError } from "punctual/client";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { cx } from "./class-names.ts";
import { TONE_TEXT, type Tone } from "./state-badge.tsx";

/** What stands where something would be: nothing yet, no right to see it, or it could not be read. */
function Placeholder({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-2 px-4 py-10 text-center">
      <Icon aria-hidden className="text-muted size-6" />
      <p className="font-medium">{title}</p>
      {children !== undefined && (
        <div className="text-muted flex max-w-full min-w-0 flex-col items-center gap-3">{children}</div>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Placeholder icon={Inbox} title={title}>
      {children}
    </Placeholder>
  );
}

export function NoPermission({ what }: { what: string }) {
  return (
    <Placeholder icon={Lock} title={`Your role does not include ${what}.`}>
      <p>An admin of the project can change it, under Settings, Members.</p>
    </Placeholder>
  );
}

/** For what could not be read. What the server refused for lack of rights is told as that. */
export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  if (error instanceof PunctualApiError && error.status === 403) return <NoPermission what="this" />;
  return (
    <div role="alert">
      <Placeholder icon={CircleAlert} title={errorText(error)}>
        {retry && <Button onClick={retry}>Try again</Button>}
      </Placeholder>
    </div>
  );
}

export function Loading({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => index).map((index) => (
        <div
          key={index}
          className="bg-raised breathing h-4 rounded"
          style={{ width: `${90 - ((index * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}

const NOTICE_ICON = { bad: CircleAlert, warn: TriangleAlert, run: Info, ok: Info, odd: Info, idle: Info } as const;

/** A line that is to be seen: a warning, or what went wrong. */
export function Notice({ tone, children, role }: { tone: Tone; children: ReactNode; role?: "alert" | "status" }) {
  const Icon = NOTICE_ICON[tone];
  return (
    <div
      role={role}
      className={cx(
        "flex items-start gap-2 rounded-md border border-[color-mix(in_oklab,currentColor_35%,transparent)] px-3 py-2",
        "bg-[color-mix(in_oklab,currentColor_8%,transparent)]",
        TONE_TEXT[tone],
      )}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="text-ink min-w-0 grow [overflow-wrap:anywhere]">{children}</div>
    </div>
  );
}

/** Above rows that could not be read again. */
export function OldRows({ error }: { error: unknown }) {
  return (
    <div className="p-3">
      <Notice tone="bad" role="status">
        What follows may be old. {errorText(error)}
      </Notice>
    </div>
  );
}

/** The server's own words where it said any: they name field, value and way out. */
export function errorText(error: unknown): string {
  if (error instanceof PunctualApiError) return error.reason;
  if (error instanceof PunctualConnectionError) return "The server does not answer.";
  return error instanceof Error ? error.message : String(error);
}
