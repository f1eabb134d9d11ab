import { type Target, TEMPLATED } from "../contract/target.ts";
import { eachString, placeholders } from "../contract/template.ts";

/** What of its project a target names. */
export interface TargetUses {
  secrets: { name: string; path: string }[];
  signingKey: string | null;
}

export function usesOf(target: Target): TargetUses {
  const secrets: TargetUses["secrets"] = [];
  for (const field of TEMPLATED[target.type])
    eachString((target as Record<string, unknown>)[field], ["target", field], (text, path) => {
      for (const { path: place } of placeholders(text))
        if (place.startsWith("secrets.")) secrets.push({ name: place.slice("secrets.".length), path: path.join(".") });
    });
  return { secrets, signingKey: target.type === "http" ? (target.signingKey ?? null) : null };
}

/** As it stands beside the job, for whoever looks for the jobs that use something. */
export function usesInWords(target: Target): string[] {
  const { secrets, signingKey } = usesOf(target);
  const words = [
    ...secrets.map(({ name }) => secretUse(name)),
    ...(signingKey === null ? [] : [signingKeyUse(signingKey)]),
  ];
  return [...new Set(words)];
}

export function secretUse(name: string): string {
  return `secret ${name}`;
}

export function signingKeyUse(name: string): string {
  return `signing-key ${name}`;
}
