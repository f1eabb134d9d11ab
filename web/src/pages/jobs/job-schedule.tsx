import type { Job } from "punctual/client";
import { absoluteText, shortText, useZone } from "../../ui/zone.ts";

/** The schedule in words, and the clock it goes by. */
export function JobSchedule({ job: { schedule, scheduleDescription } }: { job: Job }) {
  const zone = useZone();
  if (schedule === null) return <span className="text-muted">Only when triggered</span>;
  if ("at" in schedule) {
    const at = new Date(schedule.at);
    return <TwoLines words="Once" below={shortText(at, zone)} title={`Once, ${absoluteText(at, zone)}`} />;
  }
  if ("every" in schedule) return <TwoLines words={scheduleDescription} title={scheduleDescription} />;
  const words = scheduleDescription.replace(`, ${schedule.timezone} time`, "");
  return <TwoLines words={words} below={schedule.timezone} title={`${scheduleDescription} (${schedule.cron})`} />;
}

function TwoLines({ words, below, title }: { words: string; below?: string; title: string }) {
  return (
    <div className="min-w-0" title={title}>
      <div className="truncate">{words}</div>
      {below !== undefined && <div className="text-muted text-2xs truncate">{below}</div>}
    </div>
  );
}
