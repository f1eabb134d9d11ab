import { shortText, useZone } from "./zone.ts";

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** A schedule as the server words it; the one instant of a job that runs once is written as all times of the page are. */
export function scheduleWords(description: string, zone: string): string {
  return description.replace(INSTANT, (instant) => shortText(new Date(instant), zone));
}

export function useScheduleWords(description: string): string {
  return scheduleWords(description, useZone());
}
