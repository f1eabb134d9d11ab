/*
 * Which seconds on a wall clock match an expression: the clock of a place that never changes its offset.
 *
 * A wall second is the count of seconds since 1970-01-01T00:00:00 as that clock shows it. Searches go by day (a mask
 * for each month), then by hour, minute and second (a mask each), so that the number of steps does not depend on how
 * far away the answer is within a month. Counting multiplies instead of walking.
 */
import { atOrAfter, atOrBefore, bitCount, countBelow, has, highestBit, lowestBit } from "./bits.ts";
import type { CronExpression } from "./expression.ts";

export const SECONDS_PER_DAY = 86_400;

/** The first matching wall second at or after this one; Infinity if there is none. */
export function nextWall(cron: CronExpression, from: number): number {
  const day = Math.floor(from / SECONDS_PER_DAY);
  if (cron.matchesDay(day)) {
    const time = nextTime(cron, from - day * SECONDS_PER_DAY);
    if (time >= 0) return day * SECONDS_PER_DAY + time;
  }
  return cron.nextDay(day + 1) * SECONDS_PER_DAY + nextTime(cron, 0);
}

/** The last matching wall second at or before this one; -Infinity if there is none. */
export function previousWall(cron: CronExpression, from: number): number {
  const day = Math.floor(from / SECONDS_PER_DAY);
  if (cron.matchesDay(day)) {
    const time = previousTime(cron, from - day * SECONDS_PER_DAY);
    if (time >= 0) return day * SECONDS_PER_DAY + time;
  }
  return cron.previousDay(day - 1) * SECONDS_PER_DAY + previousTime(cron, SECONDS_PER_DAY - 1);
}

/** How many matching wall seconds there are from one (included) to another (excluded). */
export function countWall(cron: CronExpression, from: number, until: number): number {
  if (until <= from) return 0;
  const firstDay = Math.floor(from / SECONDS_PER_DAY);
  const lastDay = Math.floor(until / SECONDS_PER_DAY);
  let count = cron.countDays(firstDay, lastDay) * timesPerDay(cron);
  if (cron.matchesDay(firstDay)) count -= timesBefore(cron, from - firstDay * SECONDS_PER_DAY);
  if (cron.matchesDay(lastDay)) count += timesBefore(cron, until - lastDay * SECONDS_PER_DAY);
  return count;
}

/** The first matching second of a day at or after this one; -1 if there is none. */
function nextTime({ secondsLow, secondsHigh, minutesLow, minutesHigh, hours }: CronExpression, from: number): number {
  const hour = (from / 3_600) | 0;
  const minute = ((from - hour * 3_600) / 60) | 0;
  if ((hours >>> hour) & 1) {
    if (has(minutesLow, minutesHigh, minute)) {
      const second = atOrAfter(secondsLow, secondsHigh, from - hour * 3_600 - minute * 60);
      if (second >= 0) return hour * 3_600 + minute * 60 + second;
    }
    const later = atOrAfter(minutesLow, minutesHigh, minute + 1);
    if (later >= 0) return hour * 3_600 + later * 60 + atOrAfter(secondsLow, secondsHigh, 0);
  }
  const laterHours = hours & (-1 << (hour + 1));
  if (laterHours === 0) return -1;
  const firstMinute = atOrAfter(minutesLow, minutesHigh, 0);
  return lowestBit(laterHours) * 3_600 + firstMinute * 60 + atOrAfter(secondsLow, secondsHigh, 0);
}

/** The last matching second of a day at or before this one; -1 if there is none. */
function previousTime(cron: CronExpression, from: number): number {
  const { secondsLow, secondsHigh, minutesLow, minutesHigh, hours } = cron;
  const hour = (from / 3_600) | 0;
  const minute = ((from - hour * 3_600) / 60) | 0;
  if ((hours >>> hour) & 1) {
    if (has(minutesLow, minutesHigh, minute)) {
      const second = atOrBefore(secondsLow, secondsHigh, from - hour * 3_600 - minute * 60);
      if (second >= 0) return hour * 3_600 + minute * 60 + second;
    }
    const earlier = atOrBefore(minutesLow, minutesHigh, minute - 1);
    if (earlier >= 0) return hour * 3_600 + earlier * 60 + atOrBefore(secondsLow, secondsHigh, 59);
  }
  const earlierHours = hours & ((1 << hour) - 1);
  if (earlierHours === 0) return -1;
  const lastMinute = atOrBefore(minutesLow, minutesHigh, 59);
  return highestBit(earlierHours) * 3_600 + lastMinute * 60 + atOrBefore(secondsLow, secondsHigh, 59);
}

function timesPerDay({ secondsLow, secondsHigh, minutesLow, minutesHigh, hours }: CronExpression): number {
  const seconds = bitCount(secondsLow) + bitCount(secondsHigh);
  return bitCount(hours) * (bitCount(minutesLow) + bitCount(minutesHigh)) * seconds;
}

/** How many seconds of a matching day come before this one. */
function timesBefore(cron: CronExpression, time: number): number {
  const { secondsLow, secondsHigh, minutesLow, minutesHigh, hours } = cron;
  const hour = (time / 3_600) | 0;
  const minute = ((time - hour * 3_600) / 60) | 0;
  const seconds = bitCount(secondsLow) + bitCount(secondsHigh);
  let count = bitCount(hours & ((1 << hour) - 1)) * (bitCount(minutesLow) + bitCount(minutesHigh)) * seconds;
  if (((hours >>> hour) & 1) === 0) return count;
  count += countBelow(minutesLow, minutesHigh, minute) * seconds;
  if (!has(minutesLow, minutesHigh, minute)) return count;
  return count + countBelow(secondsLow, secondsHigh, time - hour * 3_600 - minute * 60);
}
