/*
 * One field of an expression: items between commas, each read into a set of numbers.
 *
 * Ranges may wrap: 22-2 goes on from midnight. With a step there are two habits, and schedules that come from either
 * rely on theirs. Between numbers the steps count on across the wrap, so 22-3/2 is 22, 0, 2. Between names they start
 * anew with the field, so OCT-MAR/2 is October, December, January, March.
 */

import { DAY, type FieldRule, WEEKDAY } from "./fields.ts";
import { refuse, shown } from "./refusal.ts";
import { type CronSets, LAST_WORKDAY } from "./sets.ts";

/** A set of numbers, counted from the first value of its field, 30 to a half. */
export interface Bits {
  low: number;
  high: number;
}

/** Reads a field. What is not a plain number (`L`, `15W`, `FRI#2`) goes to its own set. */
export function readField(rule: FieldRule, text: string, sets: CronSets): Bits {
  const bits: Bits = { low: 0, high: 0 };
  if (text === "*" || text === "?") {
    addAll(bits, rule);
  } else if (!text.includes(",")) {
    readItem(rule, text, bits, sets);
  } else {
    for (const item of text.split(",")) {
      if (item === "") refuse(rule.field, text, "has nothing on one side of a comma");
      readItem(rule, item, bits, sets);
    }
  }
  return bits;
}

function readItem(rule: FieldRule, item: string, bits: Bits, sets: CronSets): void {
  if (rule === DAY && readDayOfMonth(item, sets)) return;
  if (rule === WEEKDAY && readDayOfWeek(item, sets)) return;
  readRange(rule, item, bits);
}

/** `*`, `n` and `n-m`, each with or without a step. */
function readRange(rule: FieldRule, item: string, bits: Bits): void {
  const slash = item.indexOf("/");
  if (slash < 0) {
    addRange(rule, item, item, 1, bits);
    return;
  }
  const step = readStep(rule, item, item.slice(slash + 1));
  const range = item.slice(0, slash);
  if (range === "*" || range.indexOf("-") > 0) {
    addRange(rule, item, range, step, bits);
    return;
  }
  const value = readValue(rule, item, range);
  const from = value > rule.last ? rule.min : value;
  addSteps(bits, rule, from, rule.last - from + 1, step);
}

function addRange(rule: FieldRule, item: string, range: string, step: number, bits: Bits): void {
  const dash = range.indexOf("-");
  if (range === "*") {
    if (step === 1) addAll(bits, rule);
    else addSteps(bits, rule, rule.min, rule.last - rule.min + 1, step);
  } else if (dash > 0) {
    addSpan(rule, item, range.slice(0, dash), range.slice(dash + 1), step, bits);
  } else {
    addSteps(bits, rule, readValue(rule, item, range), 1, step);
  }
}

function addSpan(rule: FieldRule, item: string, fromText: string, toText: string, step: number, bits: Bits): void {
  const from = readValue(rule, item, fromText);
  const to = readValue(rule, item, toText);
  const size = rule.last - rule.min + 1;
  if (to >= from) {
    addSteps(bits, rule, from, Math.min(to - from + 1, size), step);
  } else if (isNumber(fromText) && isNumber(toText)) {
    addSteps(bits, rule, from, to - from + 1 + size, step);
  } else {
    addSteps(bits, rule, from, rule.last - from + 1, step);
    addSteps(bits, rule, rule.min, to - rule.min + 1, step);
  }
}

function addAll(bits: Bits, rule: FieldRule): void {
  const size = rule.last - rule.min + 1;
  bits.low = (1 << Math.min(size, 30)) - 1;
  bits.high = size > 30 ? (1 << (size - 30)) - 1 : 0;
}

function addSteps(bits: Bits, rule: FieldRule, from: number, length: number, step: number): void {
  const size = rule.last - rule.min + 1;
  for (let passed = 0; passed < length; passed += step) {
    const index = (from - rule.min + passed) % size;
    if (index < 30) bits.low |= 1 << index;
    else bits.high |= 1 << (index - 30);
  }
}

/** `L`, `L-n`, `LW` and `nW`. */
function readDayOfMonth(item: string, sets: CronSets): boolean {
  if (isNumber(item)) return false;
  const upper = item.toUpperCase();
  if (upper === "L") {
    sets.daysBeforeLast |= 1;
  } else if (upper === "LW") {
    sets.flags |= LAST_WORKDAY;
  } else if (upper.startsWith("L-")) {
    const before = toNumber(upper.slice(2));
    if (!(before < DAY.max)) refuse(DAY.field, item, `is not one of L-0 to L-${DAY.max - 1}`);
    sets.daysBeforeLast |= 1 << before;
  } else if (upper.endsWith("W")) {
    const day = toNumber(upper.slice(0, -1));
    if (!(day >= DAY.min && day <= DAY.max)) refuse(DAY.field, item, `is not one of 1W to ${DAY.max}W and LW`);
    sets.nearestWeekdays |= 1 << (day - 1);
  } else {
    return false;
  }
  return true;
}

/** `d#n`, `d#L` and `dL`. */
function readDayOfWeek(item: string, sets: CronSets): boolean {
  const hash = item.indexOf("#");
  if (hash < 0 && (item.length < 2 || !/[lL]$/.test(item))) return false;
  const bits: Bits = { low: 0, high: 0 };
  const which = hash < 0 ? "L" : item.slice(hash + 1).toUpperCase();
  if (hash >= 0) {
    const range = item.slice(0, hash);
    if (range === "*") refuse(WEEKDAY.field, item, "needs a day before the #, such as MON#1");
    addRange(WEEKDAY, item, range, 1, bits);
  } else {
    addSteps(bits, WEEKDAY, readValue(WEEKDAY, item, item.slice(0, -1)), 1, 1);
  }
  if (which === "L") sets.lastWeekdays |= bits.low;
  else if (which === "5") sets.fifthWeekdays |= bits.low;
  else if (/^[1-4]$/.test(which)) sets.nthWeekdays |= bits.low << ((Number(which) - 1) * 7);
  else refuse(WEEKDAY.field, item, "does not end in #1 to #5, or #L for the last one");
  return true;
}

function readStep(rule: FieldRule, item: string, text: string): number {
  const step = toNumber(text);
  if (step >= 1 && step <= rule.max) return step;
  const seen = text === "" ? "no step after the slash" : `the step "${shown(text)}"`;
  refuse(rule.field, item, `has ${seen}, allowed are 1-${rule.max}`);
}

function readValue(rule: FieldRule, item: string, text: string): number {
  const value = isNumber(text) ? toNumber(text) : (rule.names.get(text.toUpperCase()) ?? Number.NaN);
  if (value >= rule.min && value <= rule.max) return value;
  if (/^-?\d+$/.test(text)) refuse(rule.field, text, `is out of range ${rule.min}-${rule.max}`);
  refuse(rule.field, item, whatIsWrong(rule, item, text));
}

function whatIsWrong(rule: FieldRule, item: string, text: string): string {
  const allowed = `allowed are ${rule.allowed}`;
  if (/^h(?:$|[(/])/i.test(item)) return `is a hashed value, which is not supported; ${allowed}`;
  if (text === "") return `lacks a number; ${allowed}`;
  if (item.includes("?")) return `has a "?" that does not stand alone; ${allowed}`;
  if (rule !== WEEKDAY && item.includes("#")) return `is for the day of the week only; ${allowed}`;
  if (rule !== DAY && /^(?:l|l-\d+|lw|\d*w)$/i.test(item)) return `is for the day of the month only; ${allowed}`;
  return text === item ? `is not ${rule.allowed}` : `contains "${shown(text)}", which is not ${rule.allowed}`;
}

/** Digits and nothing else. */
function isNumber(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return text.length > 0;
}

/** One or two digits; longer numbers are no value of any field. */
function toNumber(text: string): number {
  return text.length <= 2 && isNumber(text) ? Number(text) : Number.NaN;
}
