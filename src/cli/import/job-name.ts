const NAME_MAX = 100;
const RUNNERS = new Set(
  "sudo env nice ionice nohup time timeout flock chronic run-one exec bash sh zsh php python python3 perl ruby node npx java".split(
    " ",
  ),
);

/** Where it is run, and under which conditions, is not what it does. */
const PREPARATION = /^(cd|\.|source|export|umask|test|\[\[?|set|sleep|true|fi|done)(\s|$)/;
const BEGINNINGS = /^(?:[({!]|if|then|else|elif|do|while|until)(?:\s+|(?<=[({]))/;

/** A name for a command line: mostly that of the program or script it runs. Null if there is none to be found. */
export function nameOfCommand(command: string): string | null {
  const parts = command.split(/&&|\|\||;/).map(withoutBeginning);
  const main = parts.find((part) => part !== "" && !PREPARATION.test(part)) ?? command;
  for (const word of main.trim().split(/\s+/)) {
    if (word.startsWith("-") || /^[A-Za-z_]\w*=/.test(word) || /^\d+[smhd]?$/.test(word)) continue;
    const base = word
      .replace(/^["']|["']$/g, "")
      .split("/")
      .at(-1)!;
    if (RUNNERS.has(base)) continue;
    return asName(base.replace(/\.(sh|py|php|pl|rb|js|mjs|ts|jar|exe)$/, ""));
  }
  return null;
}

function withoutBeginning(part: string): string {
  let rest = part.trim();
  while (BEGINNINGS.test(rest)) rest = rest.replace(BEGINNINGS, "").trim();
  return rest;
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
