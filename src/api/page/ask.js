/** @typedef {{ path: string, message: string }} Problem */

/** What the server refused, in its own words. */
export class Refusal extends Error {
  /**
   * @param {number} status 0 if there was no answer
   * @param {string} message
   * @param {Problem[]} problems
   */
  constructor(status, message, problems = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

/**
 * Calls the API as whoever is signed in. What is not done is thrown as a Refusal.
 *
 * @param {"GET" | "POST" | "DELETE"} method
 * @param {string} path
 * @param {object} [body]
 */
export async function ask(method, path, body) {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`/api/v1${path}`, { method, ...content }).catch(() => null);
  if (response === null) throw new Refusal(0, "The server cannot be reached. Try again.");
  // Something in between may answer with whatever it likes.
  const answer = response.status === 204 ? {} : await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const { message = `The server answered with ${response.status}. Try again.`, details } = answer?.error ?? {};
  throw new Refusal(response.status, message, details);
}
