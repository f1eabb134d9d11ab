/**
 * Resolves once everything the process said was handed on: a pipe holds little, and ending at once would cut off the rest.
 * It waits as long as the reader takes, like any program in a pipe (`less` may show its first page for an hour); a
 * reader that leaves, or a signal, ends the waiting.
 */
export async function allWritten(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(written));
}

/** Also resolves where nothing can be written any more. */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write("", () => resolve()));
}
