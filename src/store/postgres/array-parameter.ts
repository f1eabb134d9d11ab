// Arrays for statements that take a thousand rows at once, in PostgreSQL's binary form. The driver would write each element as
// text, escape it, and have the server parse it again: most of what such a statement costs before it begins. In binary an id
// is sixteen bytes and a time is a number, on both sides; text needs no escaping.
//
// The type of the elements travels with them, and the server refuses any other than the statement says: `intArray` is for
// integer[] and for nothing else.

const HEAD_BYTES = 20;
const NULL_LENGTH = -1;
/** PostgreSQL counts from 2000, in microseconds. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const WORD = 2 ** 32;

type Values<T> = readonly (T | null)[];

export function uuidArray(values: Values<string>): Buffer {
  return fixed(2950, 16, values, writeUuid);
}

export function intArray(values: Values<number>): Buffer {
  return fixed(23, 4, values, (bytes, at, value) => bytes.writeInt32BE(whole(value, 2 ** 31), at));
}

export function smallintArray(values: Values<number>): Buffer {
  return fixed(21, 2, values, (bytes, at, value) => bytes.writeInt16BE(whole(value, 2 ** 15), at));
}

export function bigintArray(values: Values<number>): Buffer {
  return fixed(20, 8, values, (bytes, at, value) => {
    const number = whole(value, Number.MAX_SAFE_INTEGER);
    const high = Math.floor(number / WORD);
    bytes.writeInt32BE(high, at);
    bytes.writeUInt32BE(number - high * WORD, at + 4);
  });
}

export function boolArray(values: Values<boolean>): Buffer {
  return fixed(16, 1, values, (bytes, at, value) => bytes.writeUInt8(value ? 1 : 0, at));
}

/** For timestamptz[]: milliseconds since 1970. */
export function timeArray(values: Values<number>): Buffer {
  return fixed(1184, 8, values, writeTime);
}

export function textArray(values: Values<string>): Buffer {
  return texts(25, values);
}

/** For json[]: values that are JSON text already. */
export function jsonArray(values: Values<string>): Buffer {
  return texts(114, values);
}

/** For jsonb[]: values that are JSON text already. */
export function jsonbArray(values: Values<string>): Buffer {
  // A version number, which is 1, stands before the text.
  return texts(3802, values, "\u0001");
}

type Write<T> = (bytes: Buffer, at: number, value: T) => void;

function fixed<T>(type: number, size: number, values: Values<T>, write: Write<T>): Buffer {
  const bytes = withHead(type, values.length, values.length * (4 + size));
  let at = HEAD_BYTES;
  for (const value of values) {
    bytes.writeInt32BE(value === null ? NULL_LENGTH : size, at);
    at += 4;
    if (value === null) continue;
    write(bytes, at, value);
    at += size;
  }
  return bytes.subarray(0, at);
}

function texts(type: number, values: Values<string>, before = ""): Buffer {
  let size = 4 * values.length;
  for (const value of values) if (value !== null) size += before.length + Buffer.byteLength(value);
  const bytes = withHead(type, values.length, size);
  let at = HEAD_BYTES;
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : bytes.write(before + value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return bytes;
}

/** Dimensions, whether there are nulls (the server looks for itself), type; then length and first index of the dimension. */
function withHead(type: number, count: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + size);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeInt32BE(type, 8);
  bytes.writeInt32BE(count, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}

const HYPHEN = 45;
const NO_DIGIT = 0xff;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < 16; digit += 1) {
  const sign = digit.toString(16);
  DIGITS[sign.charCodeAt(0)] = digit;
  DIGITS[sign.toUpperCase().charCodeAt(0)] = digit;
}

function writeUuid(bytes: Buffer, start: number, value: string): void {
  let at = start;
  let wrong = value.length === 36 ? 0 : NO_DIGIT;
  for (let place = 0; place < 36; place += 2) {
    if (place === 8 || place === 13 || place === 18 || place === 23) {
      if (value.charCodeAt(place) !== HYPHEN) wrong = NO_DIGIT;
      place += 1;
    }
    const high = DIGITS[value.charCodeAt(place)] ?? NO_DIGIT;
    const low = DIGITS[value.charCodeAt(place + 1)] ?? NO_DIGIT;
    wrong |= high | low;
    bytes[at] = (high << 4) | low;
    at += 1;
  }
  if (wrong > 0x0f) throw refused("22P02", `invalid input syntax for type uuid: "${value.slice(0, 80)}"`);
}

/** Multiplied in two halves: in one, the microseconds of times beyond the year 2255 would lose their last digits. */
function writeTime(bytes: Buffer, at: number, ms: number): void {
  const since = whole(ms, 8.64e15) - EPOCH_MS;
  const high = Math.floor(since / WORD);
  const low = (since - high * WORD) * 1_000;
  const carried = Math.floor(low / WORD);
  bytes.writeInt32BE(high * 1_000 + carried, at);
  bytes.writeUInt32BE(low - carried * WORD, at + 4);
}

function whole(value: number, limit: number): number {
  if (Number.isInteger(value) && value < limit && value >= -limit) return value;
  throw refused("22003", `${value} is out of range`);
}

/** As the server would refuse it, for those who then leave one row out. */
function refused(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
