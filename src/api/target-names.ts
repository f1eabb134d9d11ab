import { type Problem, PunctualError } from "../contract/errors.ts";
import { TARGET_SECRETS_MAX, type Target } from "../contract/target.ts";
import { usesOf } from "../core/target-uses.ts";
import type { Store } from "../store/port.ts";

/** Names of keys that an error lists. */
const LISTED_MAX = 10;

/**
 * Refuses a target that names a secret or signing key of which there is none, or too many secrets: better now than at
 * night. A call looks again, because what is there now may be gone by then.
 */
export async function refuseUnknownNames(store: Store, projectId: string, target: Target): Promise<void> {
  const { secrets, signingKey } = usesOf(target);
  refuseTooManySecrets(new Set(secrets.map(({ name }) => name)).size);
  const problems = [
    ...(secrets.length === 0 ? [] : await unknownSecrets(store, projectId, secrets)),
    ...(signingKey === null ? [] : await unknownSigningKey(store, projectId, signingKey)),
  ];
  if (problems.length > 0) throw PunctualError.validation(problems);
}

function refuseTooManySecrets(count: number): void {
  if (count <= TARGET_SECRETS_MAX) return;
  const message = `uses ${count} secrets; at most ${TARGET_SECRETS_MAX} may be used`;
  throw PunctualError.validation([{ path: "target", code: "too_many", message, value: count }]);
}

async function unknownSecrets(
  store: Store,
  projectId: string,
  secrets: { name: string; path: string }[],
): Promise<Problem[]> {
  const known = await store.secrets.known(projectId, [...new Set(secrets.map(({ name }) => name))]);
  return secrets
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => ({
      path,
      code: "unknown_secret",
      message: `{{secrets.${name}}} names a secret that this project has not; set it first: punctual secrets set ${name}`,
      value: `{{secrets.${name}}}`,
    }));
}

async function unknownSigningKey(store: Store, projectId: string, name: string): Promise<Problem[]> {
  const signing = (await store.signingKeys.list(projectId)).filter(({ state }) => state === "active");
  const names = [...new Set(signing.map((key) => key.name))].toSorted();
  if (names.includes(name)) return [];
  const more = names.length > LISTED_MAX ? ", …" : "";
  const there = names.length === 0 ? "there is none" : `there are: ${names.slice(0, LISTED_MAX).join(", ")}${more}`;
  const message = `"${name}" is no signing key of this project (${there}); make it first: punctual signing-keys create ${name} --named`;
  return [{ path: "target.signingKey", code: "unknown_signing_key", message, value: name }];
}
