const NAME_MAX = 100;
const RUNNERS = new Set(
  "sudo env nice ionice nohup time timeout flock chronic run-one exec bash sh zsh php python python3 perl ruby node npx java".split(
    " ",
  ),
);

/** A name for a command line: mostly that of the program or script it runs. Null if there is none to be found. */
export function nameOfCommand(command: string): string | null {
  // Where it is run, and under which conditions, is not what it does.
  const main = command.split(/&&|\|\||;/).find((part) => !/^\s*(cd|\.|source|export|umask|test|\[)\s/.test(part));
  const words = (main ?? command)
    .trim()
    .replace(/^[({]\s*/, "")
    .split(/\s+/);
  for (const word of words) {
    if (word.startsWith("-") || /^[A-Za-z_]\w*=/.test(word) || /^\d+$/.test(word)) continue;
    const base = word
      .replace(/^["']|["']$/g, "")
      .split("/")
      .at(-1)!;
    if (RUNNERS.has(base)) continue;
    return asName(base.replace(/\.(sh|py|php|pl|rb|js|mjs|ts|jar|exe)$/, ""));
  }
  return null;
}

/** Only what names are made of; null if nothing is left. */
export function asName(text: string): string | null {
  const name = text
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, NAME_MAX);
  return name === "" ? null : name;
}

/** The second job of a name is called name-2. */
export class Names {
  readonly #taken = new Set<string>();

  take(name: string): string {
    let free = name;
    for (let n = 2; this.#taken.has(free); n++) free = `${name}-${n}`;
    this.#taken.add(free);
    return free;
  }
}
