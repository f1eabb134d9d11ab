import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDownToLine } from "lucide-react";
import type { LogLevel, LogLine } from "punctual/client";
import { type UIEvent, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { numberText } from "../../ui/counted.ts";
import { Select } from "../../ui/field.tsx";
import { Failure } from "../../ui/notice.tsx";
import { preciseClockText, useZone } from "../../ui/zone.ts";
import { LOG_LEVELS } from "./search.ts";
import { useLog } from "./use-log.ts";

const ROW_PX = 22;
const OVERSCAN = 20;
/** So near to the end counts as at the end. */
const END_PX = 24;

/** The log as it is written: text only, at its end as long as nobody scrolls up. */
export function LogCard({
  executionId,
  level,
  onLevel,
}: {
  executionId: string;
  level: LogLevel;
  onLevel: (level: LogLevel) => void;
}) {
  const { lines, isEnded, error, again } = useLog(executionId);
  const [follows, setFollows] = useState(true);
  const rows = useMemo(() => rowsOf(lines, level), [lines, level]);
  return (
    <Card
      title="Log"
      flush
      aside={
        <div className="flex items-center gap-2">
          <span role="status" className="text-muted text-xs">
            {numberText(lines.length)} lines{isEnded ? "" : ", live"}
          </span>
          <Select
            aria-label="Level"
            className="!h-7 !w-auto text-xs"
            value={level}
            onChange={onLevel}
            options={[
              ["debug", "All levels"],
              ["info", "Info and above"],
              ["warn", "Warnings and errors"],
              ["error", "Errors"],
            ]}
          />
          <Button
            size="small"
            look={follows ? "plain" : "quiet"}
            aria-pressed={follows}
            icon={<ArrowDownToLine aria-hidden className="size-3.5" />}
            onClick={() => setFollows(!follows)}
          >
            Follow
          </Button>
        </div>
      }
    >
      {error !== null && <Failure error={error} retry={again} />}
      {rows.length === 0 && error === null && (
        <p className="text-muted px-4 py-6 text-center">
          {lines.length > 0 ? "No line is of that level." : isEnded ? "It logged nothing." : "Nothing was logged yet."}
        </p>
      )}
      {rows.length > 0 && <Lines rows={rows} follows={follows} setFollows={setFollows} />}
    </Card>
  );
}

type Row = { kind: "attempt"; number: number } | { kind: "line"; line: LogLine };

/** With a heading wherever another attempt begins. */
function rowsOf(lines: readonly LogLine[], level: LogLevel): Row[] {
  const least = LOG_LEVELS.indexOf(level);
  const rows: Row[] = [];
  let attempt = 0;
  const several = lines.some((line) => line.attempt !== lines[0]!.attempt);
  for (const line of lines) {
    if (LOG_LEVELS.indexOf(line.level) < least) continue;
    if (several && line.attempt !== attempt) rows.push({ kind: "attempt", number: line.attempt });
    attempt = line.attempt;
    rows.push({ kind: "line", line });
  }
  return rows;
}

function Lines({
  rows,
  follows,
  setFollows,
}: {
  rows: readonly Row[];
  follows: boolean;
  setFollows: (follows: boolean) => void;
}) {
  const place = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  useEffect(() => {
    if (follows) virtual.scrollToIndex(rows.length - 1, { align: "end" });
  }, [follows, rows.length, virtual]);
  // Only a person scrolls up; the page itself only goes to the end.
  const before = useRef(0);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLElement>) => {
    const atEnd = scrollHeight - scrollTop - clientHeight < END_PX;
    if (scrollTop < before.current && !atEnd) setFollows(false);
    before.current = scrollTop;
  };
  return (
    <section
      ref={place}
      aria-label="Lines of the log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys
      tabIndex={0}
      onScroll={onScroll}
      className="max-h-[28rem] overflow-auto py-2 font-mono text-xs leading-5"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            <RowText row={rows[index]!} />
          </div>
        ))}
      </div>
    </section>
  );
}

const LEVEL_TEXT: Record<LogLevel, string> = {
  debug: "text-muted",
  info: "text-muted",
  warn: "text-warn",
  error: "text-bad",
};

function RowText({ row }: { row: Row }) {
  const zone = useZone();
  if (row.kind === "attempt")
    return (
      <div className="text-muted border-line mx-4 mt-2 mb-1 flex border-b font-sans font-medium">
        Attempt {row.number}
      </div>
    );
  const { at, level, message, fields } = row.line;
  return (
    <div className="hover:bg-raised/60 grid grid-cols-[max-content_1fr] gap-x-2 px-4 sm:grid-cols-[max-content_3rem_minmax(0,1fr)]">
      <time dateTime={at} className="text-muted">
        {preciseClockText(new Date(at), zone)}
      </time>
      <span className={cx("font-medium", LEVEL_TEXT[level])}>{level}</span>
      <span className="max-sm:col-span-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {message}
        {fields !== null && <span className="text-muted"> {fieldsText(fields)}</span>}
      </span>
    </div>
  );
}

function fieldsText(fields: NonNullable<LogLine["fields"]>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
