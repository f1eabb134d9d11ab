import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const BYTES_MAX = 8 * 1024 * 1024;

/** A log in a file that never grows beyond its bound: when full it becomes `<path>.1`, in place of the one before. */
export class LogFile {
  readonly path: string;
  readonly #bytesMax: number;
  #fd: number | null = null;
  #bytes = 0;

  constructor(path: string, { bytesMax = BYTES_MAX }: { bytesMax?: number } = {}) {
    this.path = path;
    this.#bytesMax = bytesMax;
  }

  /** Opened by the first line, because the folder may have to be made by somebody else before. */
  write(line: string): void {
    if (this.#fd === null) this.#open();
    else if (this.#bytes >= this.#bytesMax) this.#turn();
    this.#bytes += writeSync(this.#fd!, line);
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #open(): void {
    this.#fd = openSync(this.path, "a", 0o600);
    this.#bytes = fstatSync(this.#fd).size;
  }

  #turn(): void {
    this.close();
    renameSync(this.path, `${this.path}.1`);
    this.#open();
  }
}
