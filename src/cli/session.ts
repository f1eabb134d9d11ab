import type { PunctualClient } from "../client/index.ts";
import { describeFailure } from "./failure.ts";
import { Output } from "./output/output.ts";
import { type Remote, type RemoteFlags, remoteOf } from "./remote.ts";

/** The flags that every command has. */
export interface CommonFlags extends RemoteFlags {
  json?: boolean;
  color?: boolean;
}

/** One call of a command: where its words go and which Punctual it talks to. */
export class Session {
  readonly out: Output;
  readonly #flags: CommonFlags;
  #remote: Remote | null = null;

  constructor(flags: CommonFlags) {
    this.#flags = flags;
    this.out = new Output({ json: flags.json === true, colour: flags.color !== false });
  }

  get remote(): Remote {
    this.#remote ??= remoteOf(this.#flags);
    return this.#remote;
  }

  async client(): Promise<PunctualClient> {
    const { url, apiKey, project } = this.remote;
    const { PunctualClient } = await import("../client/index.ts");
    return new PunctualClient({ url, key: apiKey, ...(project === null ? {} : { project }) });
  }

  /** Says what went wrong, and answers with the exit code for it. */
  fail(error: unknown): number {
    const failure = describeFailure(error, this.#remote);
    if (this.out.json) this.out.noteJson({ error: failure.error });
    else this.out.note(`punctual: ${failure.text}`);
    return failure.exitCode;
  }
}
