import type { z } from "zod";
import type { Page } from "../contract/page.ts";
import type {
  rotateSigningKeySchema,
  SigningKey,
  signingKeyInput,
  signingSecretSchema,
} from "../contract/signing-key.ts";
import type { CallOptions, Transport } from "./transport.ts";

export type SigningKeyInput = z.input<typeof signingKeyInput>;

/** The keys that calls are signed with. */
export class SigningKeysApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  list(options?: CallOptions): Promise<Page<SigningKey>> {
    return this.#transport.json({ method: "GET", path: "/signing-keys", options });
  }

  create(input: SigningKeyInput, options?: CallOptions): Promise<SigningKey> {
    return this.#transport.json({ method: "POST", path: "/signing-keys", body: input, options });
  }

  /** The `whsec_…` for those who verify. */
  async secret(id: string, options?: CallOptions): Promise<string> {
    const answer = await this.#transport.json<z.infer<typeof signingSecretSchema>>({
      method: "GET",
      path: `${path(id)}/secret`,
      options,
    });
    return answer.secret;
  }

  /** A new version with a secret of its own; for `overlap` calls are signed with both. */
  rotate(id: string, input: z.input<typeof rotateSigningKeySchema> = {}, options?: CallOptions): Promise<SigningKey> {
    return this.#transport.json({ method: "POST", path: `${path(id)}/rotate`, body: input, options });
  }

  /** Refused for the last that signs a call: rotate that one. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: path(id), options });
  }
}

function path(id: string): string {
  return `/signing-keys/${encodeURIComponent(id)}`;
}
