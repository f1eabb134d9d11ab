// JSON values, one a line, as they come.

import { chunks } from "./chunks.ts";
import { PunctualConnectionError } from "./errors.ts";

/** A line without an end is not collected for ever. */
const LINE_LENGTH_MAX = 8 * 1024 * 1024;

/** Throws the signal's reason when it is aborted, and whatever keeps the last line from being whole. */
export async function* readLines<T>(
  stream: ReadableStream<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of chunks(stream, path, signal)) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop()!;
      if (rest.length > LINE_LENGTH_MAX) throw new Error(`a line of more than ${LINE_LENGTH_MAX} characters came`);
      for (const line of lines) {
        signal?.throwIfAborted();
        yield JSON.parse(line) as T;
      }
    }
    signal?.throwIfAborted();
    if (rest !== "") throw new Error("it ended in the middle of a line");
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof PunctualConnectionError) throw error;
    throw new PunctualConnectionError(`GET ${path}`, `it was cut off (${(error as Error).message})`, { cause: error });
  }
}
