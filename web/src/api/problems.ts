// What the server has against a form, put where the person looks: at the field it is about, or else above the form.

import { PunctualApiError } from "punctual/client";
import { errorText } from "../ui/notice.tsx";

/** What is wrong with which field, by its name. `scopes.0` is told at `scopes`. */
export function fieldProblems(error: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, message } of detailsOf(error)) found[fieldOf(path)] ??= sentence(message);
  return found;
}

/** What is wrong and stands at none of these fields; null if there is nothing. */
export function otherProblem(error: unknown, fields: readonly string[]): string | null {
  if (error === null || error === undefined) return null;
  const details = detailsOf(error);
  const told = details.length > 0 && details.every(({ path }) => fields.includes(fieldOf(path)));
  return told ? null : sentence(errorText(error));
}

/** The server's words begin small, for they stand behind the name of a command or a field. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

function detailsOf(error: unknown) {
  return error instanceof PunctualApiError ? error.details : [];
}

function fieldOf(path: string): string {
  return path.split(".")[0] ?? "";
}
