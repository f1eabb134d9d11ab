// Values that are like no other, and a search for them that knows nothing of how secrets are found and hidden: each has a
// core of random letters that survives escaping, and the search also knows what bytes around it make of it.
import { randomBytes } from "node:crypto";

const CORE_BYTES = 16;
/** As much of a core as tells it from everything else, where it was cut. */
const PIECE = 10;

export interface Canary {
  name: string;
  value: string;
  /** Texts of which each gives it away. */
  needles: string[];
}

/** The core stands wherever the shape puts it. */
export function makeCanary(name: string, shape: (core: string) => string = (core) => core): Canary {
  const core = randomBytes(CORE_BYTES).toString("hex");
  const pieces = [core.slice(0, PIECE), core.slice(-PIECE)];
  return { name, value: shape(core), needles: [...pieces, ...needlesOf(Buffer.from(core), core)] };
}

/** For what others made: a key, a token. */
export function canaryOf(name: string, value: string, bytes: Buffer = Buffer.from(value)): Canary {
  return { name, value, needles: [value, ...needlesOf(bytes, value)] };
}

function needlesOf(bytes: Buffer, text: string): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return padded.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 4) / 3));
  });
  const base64url = base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [text, bytes.toString("hex"), bytes.toString("latin1"), ...base64, ...base64url];
}

/** Which canaries sit in which of the texts. */
export function findCanaries(places: ReadonlyMap<string, string>, canaries: readonly Canary[]): string[] {
  return [...places].flatMap(([place, text]) => {
    const lower = text.toLowerCase();
    return canaries
      .filter(({ needles }) => needles.some((needle) => text.includes(needle) || lower.includes(needle.toLowerCase())))
      .map(({ name }) => `${name} in ${place}`);
  });
}
