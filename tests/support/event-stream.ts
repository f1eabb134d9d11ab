// A server's event stream, and all that was heard on it so far.
import { onTestFinished, vi } from "vitest";

export interface Heard {
  id?: string;
  event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  data?: any;
  comment?: string;
}

export class EventStream {
  readonly response: Response;
  readonly heard: Heard[] = [];
  /** When the server has ended the stream, or it was closed. */
  readonly ended: Promise<void>;
  readonly close: () => void;

  constructor(response: Response, close: () => void) {
    this.response = response;
    this.close = close;
    this.ended = this.#listen().catch(() => {});
  }

  events(name?: string): Heard[] {
    return this.heard.filter(({ event }) => event !== undefined && (name === undefined || event === name));
  }

  /** Waits; the limit is for a test that fails, not for one that passes. */
  async until(wanted: () => boolean): Promise<void> {
    await vi.waitUntil(wanted, { timeout: 15_000, interval: 10 }).catch((cause: Error) => {
      throw new Error(`heard only ${JSON.stringify(this.heard)}`, { cause });
    });
  }

  async #listen(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.response.body!) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop()!;
      this.heard.push(...blocks.map(parse));
    }
  }
}

/** Closed when the test is over. */
export async function openEventStream(
  url: string,
  options: { key: string; headers?: Record<string, string> },
): Promise<EventStream> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const headers = { authorization: `Bearer ${options.key}`, accept: "text/event-stream", ...options.headers };
  return new EventStream(await fetch(url, { headers, signal: abort.signal }), () => abort.abort());
}

function parse(block: string): Heard {
  const heard: Heard = {};
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) heard.comment = line.slice(1).trim();
    else if (line.startsWith("data:")) heard.data = JSON.parse(line.slice(5));
    else if (line.startsWith("id:")) heard.id = line.slice(3).trim();
    else if (line.startsWith("event:")) heard.event = line.slice(6).trim();
  }
  return heard;
}
