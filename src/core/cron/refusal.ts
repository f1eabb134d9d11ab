import type { CronField } from "./fields.ts";

/** Why an expression is not accepted. */
export interface CronProblem {
  readonly field: CronField | "expression";
  /** The part of the text that is wrong. */
  readonly token: string;
  /** Names field and token, says why, and what is allowed instead. */
  readonly message: string;
}

const TOKEN_MAX = 256;
const SHOWN_MAX = 40;

/**
 * Thrown to end the reading of an expression from any depth. It never leaves the parser, and is no Error: taking down
 * the stack would cost more than all the reading.
 */
export class Refusal {
  readonly problem: CronProblem;

  constructor(problem: CronProblem) {
    this.problem = problem;
  }
}

export function refuse(field: CronField | "expression", token: string, why: string): never {
  const place = field === "expression" ? "" : `${field}: `;
  throw new Refusal({ field, token: token.slice(0, TOKEN_MAX), message: `${place}"${shown(token)}" ${why}` });
}

/** A token fit for a message, however long and odd it is. */
export function shown(token: string): string {
  const cut = token.length > SHOWN_MAX ? `${token.slice(0, SHOWN_MAX)}…` : token;
  return JSON.stringify(cut).slice(1, -1);
}
