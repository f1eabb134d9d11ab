// The format of server-sent events, as the HTML standard reads it: lines end with CR, LF or both, an empty line ends an
// event, and an id stays in force until the next one.

/** A line without an end is not collected for ever. */
const LINE_LENGTH_MAX = 8 * 1024 * 1024;

export interface ServerSentEvent {
  /** `message` if the server named none. */
  event: string;
  data: string;
  /** The last id that the server gave, with this event or before it; empty if there was none. */
  id: string;
}

/** Takes the bytes as they come, however they are split, and gives the events that are whole. */
export class EventParser {
  // Strips the byte order mark, and keeps the bytes of a character that is not whole yet.
  readonly #decoder = new TextDecoder();
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id = "";
  /** How long the server asks to wait before coming back. */
  retryMs: number | null = null;

  push(bytes: Uint8Array): ServerSentEvent[] {
    let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    // Of a CR at the end it is not known yet whether an LF follows, which would belong to the same line end.
    const held = text.endsWith("\r") ? "\r" : "";
    text = text.slice(0, text.length - held.length);
    const lines = text.split(/\r\n|\r|\n/);
    this.#rest = lines.pop()! + held;
    if (this.#rest.length > LINE_LENGTH_MAX) throw new Error(`a line of more than ${LINE_LENGTH_MAX} characters came`);
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerSentEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\u0000")) this.#id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  /** An event without data is none, but its id counts. */
  #dispatch(): ServerSentEvent | null {
    const event = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id };
    const isEvent = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    return isEvent ? event : null;
  }
}
