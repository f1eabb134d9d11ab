// Times as text and back. What is claimed or written together has the same few times (when it began, when it ended), so the
// last answers are kept: they are the next ones, hundreds of times.

const KEPT = 8;
const keptMs: number[] = new Array(KEPT).fill(0);
const keptText: string[] = new Array(KEPT).fill(new Date(0).toISOString());

export function isoOf(ms: number): string {
  const whole = Math.trunc(ms);
  const place = Math.abs(whole) % KEPT;
  if (keptMs[place] !== whole) {
    keptText[place] = new Date(whole).toISOString();
    keptMs[place] = whole;
  }
  return keptText[place]!;
}

let parsedText = "1970-01-01T00:00:00.000Z";
let parsedMs = 0;

export function msOf(iso: string): number {
  if (iso !== parsedText) {
    parsedMs = Date.parse(iso);
    parsedText = iso;
  }
  return parsedMs;
}
