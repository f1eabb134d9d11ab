// Reads the answers of HTTP/1.1 and 1.0 from the bytes of a connection, as RFC 9112 describes them. One answer at a time:
// calls are never pipelined, so whatever follows an answer was not asked for.
//
// What is promised: the pieces that bytes arrive in make no difference; no more than the largest head is ever kept here;
// an answer whose end is not beyond doubt (two lengths, a length beside chunks, a line that ends in other ways than with
// CR LF) is refused, never guessed at. Nothing that the target wrote is repeated in an error: it may be anything.

/** Names in lower case; of headers that came more than once, the values joined. Only those that were asked for. */
export type AnswerHeaders = Readonly<Headers>;
type Headers = Record<string, string | undefined>;

export interface AnswerListener {
  /** Of the answer itself, not of those that announce it (1xx). */
  onHead(status: number, headers: AnswerHeaders): void;
  onBody(chunk: Buffer): void;
  /** `isLast`: the connection cannot be used for another call. */
  onEnd(isLast: boolean): void;
}

/** Bytes that are not an answer. The message is for people. */
export class NotAnAnswer extends Error {
  constructor(what: string) {
    super(what);
    this.name = "NotAnAnswer";
  }
}

const LF = 10;
const SPACE = 32;
const TAB = 9;
const BEGIN = "HTTP/1.";
// Each line must end in CR LF, begin with a name and a colon, and have nothing in it that headers cannot carry. Read without
// ever going back over a line: none of its parts can end where the next cannot begin.
const HEAD =
  /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;
const TRAILER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const LENGTH = /^\d{1,15}$/;
const CHUNK =
  /^([0-9A-Fa-f]{1,13})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[\t !#-[\]-~\x80-\xff]*"))?)*$/;
const ENCODINGS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[\t ]*,[\t ]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;
const FINALLY_CHUNKED = /(?:^|,)[\t ]*chunked$/i;
/** What the end of an answer, and the use of its connection after it, depend on. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

type Part = "head" | "sized" | "chunk size" | "chunk" | "chunk end" | "trailers" | "until closed" | "over";

export class AnswerReader {
  readonly #listener: AnswerListener;
  readonly #headBytesMax: number;
  readonly #wanted: ReadonlySet<string>;
  #part: Part = "head";
  /** The beginning of a head or line whose end is still to come. */
  #begun = "";
  /** Bytes that are left of a body with a length, or of a chunk. */
  #left = 0;
  #trailerBytes = 0;
  #isLast = false;
  /** For how long the target says that it keeps the connection, if it says so. */
  keepAliveSeconds: number | null = null;

  /** `wanted`: the headers that the listener is to get, in lower case. */
  constructor(listener: AnswerListener, options: { headBytesMax: number; wanted: ReadonlySet<string> }) {
    this.#listener = listener;
    this.#headBytesMax = options.headBytesMax;
    this.#wanted = options.wanted;
  }

  /** Gets ready for the next answer. */
  reset(): void {
    this.#part = "head";
    this.#begun = "";
  }

  /** Throws NotAnAnswer; nothing more can be read then. */
  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#part !== "over") at = this.#readPart(bytes, at);
  }

  /** The connection has ended. False: the answer has not. */
  close(): boolean {
    if (this.#part === "until closed") this.#end(true);
    return this.#part === "over";
  }

  /** Reads as much of the current part as there is, and says where it ends. */
  #readPart(bytes: Buffer, at: number): number {
    switch (this.#part) {
      case "head":
        return this.#readHead(bytes, at);
      case "sized":
      case "chunk":
        return this.#readSized(bytes, at);
      case "until closed":
        this.#listener.onBody(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      default:
        return this.#readLine(bytes, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const known = this.#begun.length;
    const text =
      this.#begun + bytes.toString("latin1", at, Math.min(bytes.length, at + this.#headBytesMax + 4 - known));
    // The blank line may have begun in what is known already.
    const end = text.indexOf("\r\n\r\n", Math.max(0, known - 3));
    if (end > this.#headBytesMax || (end === -1 && text.length > this.#headBytesMax))
      throw new NotAnAnswer("the answer's headers are too large");
    if (end === -1) {
      if (!text.startsWith(BEGIN) && !BEGIN.startsWith(text)) throw notHttp("it does not begin as answers do");
      this.#begun = text;
      return bytes.length;
    }
    this.#begun = "";
    const next = at + end + 4 - known;
    this.#takeHead(text.slice(0, end + 2), bytes.length > next);
    return next;
  }

  #takeHead(head: string, hasMore: boolean): void {
    if (!HEAD.test(head)) throw notHttp("its headers are malformed");
    const status = Number(head.slice(9, 12));
    if (status === 100 || status === 101) throw notHttp(`it is a ${status}, which nobody asked for`);
    if (status < 200) return;
    const { headers, framing } = this.#headersOf(head);
    this.#part = this.#bodyOf(status, framing);
    this.#isLast = this.#part === "until closed" || !keepsAlive(head[7] === "1", framing.connection);
    this.keepAliveSeconds = keepAliveSeconds(framing["keep-alive"]);
    this.#listener.onHead(status, headers);
    if (this.#part === "sized" && this.#left === 0) this.#end(hasMore);
  }

  /** The headers of a head that is well formed. */
  #headersOf(head: string): { headers: AnswerHeaders; framing: AnswerHeaders } {
    const headers: Headers = {};
    const framing: Headers = {};
    for (let at = head.indexOf("\r\n") + 2; at < head.length; ) {
      const end = head.indexOf("\r\n", at);
      const colon = head.indexOf(":", at);
      const name = head.slice(at, colon).toLowerCase();
      if (this.#wanted.has(name)) add(headers, name, trimmed(head, colon + 1, end));
      if (FRAMING.has(name)) add(framing, name, trimmed(head, colon + 1, end));
      at = end + 2;
    }
    return { headers, framing };
  }

  /** Where the body ends (RFC 9112, 6.3). */
  #bodyOf(status: number, framing: AnswerHeaders): Part {
    const { "content-length": length, "transfer-encoding": encoding } = framing;
    this.#left = 0;
    if (length !== undefined && (encoding !== undefined || !LENGTH.test(length))) throw unclearEnd();
    if (encoding !== undefined && !ENCODINGS.test(encoding)) throw unclearEnd();
    if (status === 204 || status === 304) return "sized";
    if (encoding !== undefined && FINALLY_CHUNKED.test(encoding)) return "chunk size";
    // Chunks within another encoding have no end that can be seen from outside.
    if (encoding?.toLowerCase().includes("chunked")) throw unclearEnd();
    if (length === undefined) return "until closed";
    this.#left = Number(length);
    return "sized";
  }

  #readSized(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#listener.onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#left > 0) return end;
    if (this.#part === "chunk") this.#part = "chunk end";
    else this.#end(bytes.length > end);
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(LF, at);
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
    if (this.#begun.length + end - at > this.#headBytesMax) throw notHttp("a line between its chunks is too long");
    const line = this.#begun + bytes.toString("latin1", at, end);
    this.#begun = lineFeed === -1 ? line : "";
    if (lineFeed === -1) return end;
    if (!line.endsWith("\r\n")) throw notHttp("its chunks are malformed");
    this.#takeLine(line.slice(0, -2), bytes.length > end);
    return end;
  }

  /** A line of those that stand between, before and after chunks. */
  #takeLine(line: string, hasMore: boolean): void {
    if (this.#part === "chunk size") this.#takeChunkSize(line);
    else if (this.#part === "trailers") this.#takeTrailer(line, hasMore);
    else if (line === "") this.#part = "chunk size";
    else throw notHttp("its chunks are malformed");
  }

  #takeChunkSize(line: string): void {
    const size = CHUNK.exec(line)?.[1];
    if (size === undefined) throw notHttp("its chunks are malformed");
    this.#left = Number.parseInt(size, 16);
    this.#trailerBytes = 0;
    this.#part = this.#left === 0 ? "trailers" : "chunk";
  }

  #takeTrailer(line: string, hasMore: boolean): void {
    if (line === "") {
      this.#end(hasMore);
      return;
    }
    this.#trailerBytes += line.length;
    if (!TRAILER.test(line) || this.#trailerBytes > this.#headBytesMax) throw notHttp("its trailers are malformed");
  }

  /** What follows the answer nobody asked for, and nobody will read. */
  #end(hasMore: boolean): void {
    this.#part = "over";
    this.#listener.onEnd(this.#isLast || hasMore);
  }
}

function add(headers: Headers, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : `${before}, ${value}`;
}

function keepsAlive(isVersion11: boolean, connection: string | undefined): boolean {
  if (connection === undefined) return isVersion11;
  const said = connection.toLowerCase();
  if (said === "keep-alive") return true;
  const options = said.split(",");
  if (options.some((option) => option.trim() === "close")) return false;
  return isVersion11 || options.some((option) => option.trim() === "keep-alive");
}

function keepAliveSeconds(keepAlive: string | undefined): number | null {
  const seconds = keepAlive === undefined ? undefined : /(?:^|[\s,;])timeout\s*=\s*(\d{1,9})/i.exec(keepAlive)?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/** Without spaces and tabs around it, and no other blanks: those belong to the value. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function unclearEnd(): NotAnAnswer {
  return notHttp("where its body ends is not clear");
}

function notHttp(what: string): NotAnAnswer {
  return new NotAnAnswer(`the answer is not valid HTTP: ${what}`);
}
