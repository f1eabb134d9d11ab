import { LOG_MESSAGE_MAX } from "../../contract/log-limits.ts";
import type { Redaction } from "../redaction.ts";

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Lines out of what a command writes, in whatever pieces it arrives. Bytes that are no UTF-8 become replacement characters,
 * a line too long for the log becomes several, and the last one need not end. Secrets are taken out, also where a line is
 * cut: never through the middle of one.
 */
export class OutputLines {
  readonly #redaction: Redaction;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  *read(bytes: Uint8Array): Generator<string> {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = this.#rest.indexOf("\n"); end >= 0; end = this.#rest.indexOf("\n", from)) {
      yield* this.#pieces(this.#rest.slice(from, end).replace(/\r$/, ""));
      from = end + 1;
    }
    this.#rest = this.#rest.slice(from);
    while (this.#rest.length > LOG_MESSAGE_MAX + this.#redaction.reach) yield this.#cutOff();
  }

  /** What is left when nothing more comes. */
  *end(): Generator<string> {
    const last = this.#rest + this.#decoder.decode();
    this.#rest = "";
    if (last !== "") yield* this.#pieces(last.replace(/\r$/, ""));
  }

  *#pieces(line: string): Generator<string> {
    let rest = line;
    while (rest.length > LOG_MESSAGE_MAX) {
      const cut = this.#cutPoint(rest);
      yield this.#redaction.clean(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    yield this.#redaction.clean(rest);
  }

  #cutOff(): string {
    const cut = this.#cutPoint(this.#rest);
    const piece = this.#rest.slice(0, cut);
    this.#rest = this.#rest.slice(cut);
    return this.#redaction.clean(piece);
  }

  #cutPoint(text: string): number {
    const whole = HIGH_SURROGATE.test(text.slice(0, LOG_MESSAGE_MAX)) ? LOG_MESSAGE_MAX - 1 : LOG_MESSAGE_MAX;
    return this.#redaction.cutPoint(text, whole);
  }
}
