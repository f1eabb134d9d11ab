/**
 * What names one claim. Its token alone does not: the same request, made at two nodes at the same moment, may take different
 * executions at both under the same tokens.
 */
export function claimKey(id: string, token: string): string {
  return `${id} ${token}`;
}
