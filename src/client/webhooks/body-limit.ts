// Bodies are read before anything is known of who sent them, so that there must be an end to it.

import { WebhookVerificationError } from "./verification-error.ts";

/** Larger than any call that Punctual makes. */
export const BODY_BYTES_MAX = 1024 * 1024;

export interface BodyLimit {
  /** How many bytes a body may have that is read here. Default: 1 MiB. */
  bodyBytesMax?: number | undefined;
}

/** The chunks of a body as they come, never more than is allowed. */
export class BodyChunks {
  readonly #bytesMax: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > this.#bytesMax) throw bodyTooLarge(this.#bytesMax);
    this.#chunks.push(chunk);
  }

  joined(): Uint8Array<ArrayBuffer> {
    const body = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      body.set(chunk, at);
      at += chunk.length;
    }
    return body;
  }
}

/** The body of a Request that nobody has read yet. What is announced to be too large is not read at all. */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  if (request.bodyUsed) throw new TypeError("the body was read before it could be verified");
  if (Number(request.headers.get("content-length")) > bytesMax) throw bodyTooLarge(bytesMax);
  const chunks = new BodyChunks(bytesMax);
  const reader = request.body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read())
      chunks.add(read.value);
  } finally {
    // Not cancelled: that ends the connection, and with it the answer that says why.
    reader?.releaseLock();
  }
  return chunks.joined();
}

function bodyTooLarge(bytesMax: number): WebhookVerificationError {
  return new WebhookVerificationError("body_too_large", `the body has more than ${bytesMax} bytes`);
}
