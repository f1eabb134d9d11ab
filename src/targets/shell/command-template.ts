import type { JobSpec } from "../../contract/job.ts";
import type { ShellTarget } from "../../contract/target.ts";
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
      args: this.#args.map((template, index) => filled(template, `target.args.${index}`)),
      env: Object.fromEntries(this.#env.map(([name, value]) => [name, filled(value, `target.env.${name}`)])),
    };
  }
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
