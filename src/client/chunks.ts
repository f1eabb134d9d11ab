import { PunctualConnectionError } from "./errors.ts";

/** Streams say something every 15 seconds; one that was silent for this long is not there any more. */
const SILENCE_MS_MAX = 45_000;

/** A body as it comes; throws when nothing came for too long, and ends when it is aborted. Leaving the loop closes the connection. */
export async function* chunks(
  stream: ReadableStream<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), path);
      if (done || signal?.aborted) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

async function withinSilence<T>(read: Promise<T>, path: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new PunctualConnectionError(`GET ${path}`, `nothing came for ${SILENCE_MS_MAX} ms`));
    }, SILENCE_MS_MAX);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
