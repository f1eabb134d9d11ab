import type { JobSpec } from "../../contract/job.ts";
import type { ShellTarget } from "../../contract/target.ts";
import { CallRefused } from "../refusal.ts";
import { asText, compile, fill, holesOf, secretsOf, type Template, type Values } from "../template.ts";

/** Linux takes no longer argument or variable. */
const CHARACTERS_MAX = 128 * 1024 - 1;

/** Arguments and variables of a job's command, cut at their placeholders. */
export class CommandTemplate {
  /** Secrets that must be at hand to fill it in. */
  readonly secrets: string[];
  readonly #args: Template[];
  readonly #env: [name: string, value: Template][];

  constructor({ args, env }: ShellTarget) {
    this.#args = args.map(compile);
    this.#env = Object.entries(env).map(([name, value]) => [name, compile(value)]);
    this.secrets = secretsOf([...this.#args, ...this.#env.map(([, value]) => value)].flatMap(holesOf));
  }

  fill(values: Values): { args: string[]; env: Record<string, string> } {
    const filled = (template: Template, what: string) =>
      fill(template, values, asText, { what, charactersMax: CHARACTERS_MAX });
    return {
      args: this.#args.map((template, index) => {
        const text = filled(template, `target.args.${index}`);
        if (text.startsWith("-") && this.#isOption(index) && isBegunByPayload(template, values))
          throw strayOption(index);
        return text;
      }),
      env: Object.fromEntries(this.#env.map(([name, value]) => [name, filled(value, `target.env.${name}`)])),
    };
  }

  /** Would an argument at this place be an option, if it looks like one? */
  #isOption(index: number): boolean {
    return !this.#args.slice(0, index).some(([first, ...rest]) => first === "--" && rest.length === 0);
  }
}

/** The command and its options are the choice of whoever saved the job; whoever triggers it chooses only values. */
function isBegunByPayload(template: Template, values: Values): boolean {
  for (const piece of template) {
    if (typeof piece === "string") return false;
    if (piece.path.split(".")[0] === "payload") return true;
    if (asText(piece.read(values)) !== "") return false;
  }
  return false;
}

function strayOption(index: number): CallRefused {
  return new CallRefused(
    "template",
    `target.args.${index} would begin with "-" and be taken for an option, because of the payload; ` +
      'put the argument "--" before it, or let the command read the payload from its standard input',
  );
}

/** Templates by job version. The key is the version's object, so that an entry goes when the version goes. */
export class CommandTemplates {
  readonly #known = new WeakMap<JobSpec, CommandTemplate>();

  of(job: JobSpec & { target: ShellTarget }): CommandTemplate {
    const known = this.#known.get(job) ?? new CommandTemplate(job.target);
    this.#known.set(job, known);
    return known;
  }
}
