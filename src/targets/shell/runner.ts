import type { ShellTarget } from "../../contract/target.ts";
import type { AttemptResult } from "../../core/attempt.ts";
import type { AttemptSignal } from "../port/attempt-abort.ts";
import type { AbortReason, Call, TargetRunner, Vault } from "../port.ts";
import { Redaction } from "../redaction.ts";
import { Redactions, refuseTooMuch } from "../redactions.ts";
import { VaultFailed } from "../refusal.ts";
import { ALL_FORMS_CHARACTERS_MAX } from "../secret-forms.ts";
import { commandEnvironment } from "./command-environment.ts";
import { type Command, CommandRun } from "./command-run.ts";
import { CommandTemplates } from "./command-template.ts";
import { commandUser } from "./command-user.ts";
import { report, reportCalledOff, reportNotStarted } from "./report.ts";

export interface ShellTargetOptions {
  /** Who commands may run as; the first is the default. Empty: the node's own user, and nobody else. */
  users: readonly string[];
  /** The node's own environment, and what of it commands get to see. */
  environment: Readonly<Record<string, string | undefined>>;
  allowed: readonly string[];
  /** How long commands that are called off have to end by themselves. */
  graceMs?: number;
}

/** A line of a secret that is shorter than this stands in too many texts to be hidden in them. */
const SECRET_LINE_MIN = 8;
/** Lines of one secret that are looked for in all forms; keys of elliptic curves have fewer. */
const ALL_FORMS_LINES_MAX = 16;

/** Runs the commands of jobs whose target is a shell command, on the node's own machine. */
export class ShellTargetRunner implements TargetRunner<ShellTarget> {
  readonly #vault: Pick<Vault, "secrets">;
  readonly #options: ShellTargetOptions;
  readonly #graceMs: number;
  readonly #templates = new CommandTemplates();
  readonly #redactions = new Redactions(redactionOf);
  readonly #running = new Set<CommandRun>();

  constructor(vault: Pick<Vault, "secrets">, options: ShellTargetOptions) {
    this.#vault = vault;
    this.#options = options;
    this.#graceMs = options.graceMs ?? 5_000;
  }

  async attempt(call: Call<ShellTarget>, signal: AttemptSignal): Promise<AttemptResult> {
    let run: CommandRun;
    try {
      const { command, redaction } = await this.#prepare(call);
      if (signal.aborted) return reportCalledOff(signal.reason as AbortReason, "before the command was started");
      run = await CommandRun.start(command, { reporter: call.reporter, redaction });
    } catch (error) {
      return reportNotStarted(error);
    }
    this.#running.add(run);
    try {
      return report(await run.end(signal, this.#graceMs), call.job.target.successOn);
    } finally {
      this.#running.delete(run);
    }
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map(({ group }) => group.end(this.#graceMs)));
  }

  async #prepare(call: Call<ShellTarget>): Promise<{ command: Command; redaction: Redaction }> {
    const { target } = call.job;
    const template = this.#templates.of(call.job);
    const secrets = await this.#secrets(call.projectId, template.secrets);
    refuseTooMuch(secrets);
    const { args, env } = template.fill({ call, secrets });
    const user = await commandUser(target.user, this.#options.users);
    const { environment: own, allowed } = this.#options;
    const command = {
      program: target.command,
      args,
      env: commandEnvironment(call, env, { own, allowed, user }),
      cwd: target.cwd,
      user,
      input: JSON.stringify(call.payload),
    };
    return { command, redaction: this.#redactions.of(secrets) };
  }

  async #secrets(projectId: string, names: string[]): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    try {
      return await this.#vault.secrets(projectId, names);
    } catch (cause) {
      throw new VaultFailed(cause);
    }
  }
}

/**
 * Output is looked at line by line, so that each line of a secret has to be found by itself; where there are many, in the
 * commonest forms, because all forms of all lines would be far more than the secret.
 */
function redactionOf(secrets: ReadonlyMap<string, string>): Redaction {
  const whole = [...secrets];
  const parts: [string, string][] = [];
  for (const [name, value] of secrets) {
    const lines = value.split("\n").map((line) => line.trim());
    const isShort = value.length <= ALL_FORMS_CHARACTERS_MAX && lines.length <= ALL_FORMS_LINES_MAX;
    for (const line of lines) if (line.length >= SECRET_LINE_MIN) (isShort ? whole : parts).push([name, line]);
  }
  return new Redaction(whole, { parts });
}
