import { ask, Refusal } from "./ask.js";
import { complain, copyOf, show, slot } from "./view.js";

/**
 * @typedef {{ name: string, instanceAdmin: boolean, projects: { name: string, role: string }[] }} Me
 * @typedef {{ id: string, current: boolean, lastSeenAt: string, address: string, userAgent: string }} Session
 */

/**
 * Who is signed in, where they belong, and where else they are signed in.
 *
 * @param {Me} me
 * @param {(hint: string) => void} leave shows what there is for whoever is not signed in
 */
export async function showAccount(me, leave) {
  const view = show(copyOf("account"));
  slot(view, "name").textContent = me.name;
  slot(view, "admin").hidden = !me.instanceAdmin;
  slot(view, "projects").replaceChildren(...projectsOf(me));
  const attempt = attemptIn(view, leave);
  slot(view, "sign-out").addEventListener("click", () =>
    attempt(async () => {
      await ask("POST", "/auth/logout");
      leave("You are signed out.");
    }),
  );
  await attempt(() => listSessions(view, attempt));
}

/** @param {Me} me */
function projectsOf({ projects }) {
  if (projects.length === 0) return [line("You are a member of none.")];
  return projects.map(({ name, role }) => {
    const item = copyOf("project");
    slot(item, "name").textContent = name;
    slot(item, "role").textContent = role;
    return item;
  });
}

/** @param {string} text */
function line(text) {
  const item = document.createElement("li");
  item.className = "hint";
  item.textContent = text;
  return item;
}

/**
 * Does something, and tells what the server refused. Whose session is over signs in again.
 *
 * @param {ParentNode} view
 * @param {(hint: string) => void} leave
 * @returns {(work: () => Promise<void>) => Promise<void>}
 */
function attemptIn(view, leave) {
  return async (work) => {
    complain(view, "");
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 401) leave("You are not signed in any more.");
      else complain(view, error.message);
    }
  };
}

/**
 * @param {ParentNode} view
 * @param {(work: () => Promise<void>) => Promise<void>} attempt
 */
async function listSessions(view, attempt) {
  const { items } = /** @type {{ items: Session[] }} */ (await ask("GET", "/sessions"));
  const end = (/** @type {Session} */ { id }) =>
    attempt(async () => {
      await ask("DELETE", `/sessions/${id}`);
      await listSessions(view, attempt);
      // The button that had the focus is gone.
      view.querySelector("h1")?.focus();
    });
  slot(view, "sessions").replaceChildren(...items.map((session) => sessionItem(session, () => end(session))));
}

/**
 * @param {Session} session
 * @param {() => void} end
 */
function sessionItem({ current, lastSeenAt, address, userAgent }, end) {
  const item = copyOf("session");
  const device = deviceOf(userAgent);
  slot(item, "device").textContent = device;
  slot(item, "device").title = userAgent;
  slot(item, "address").textContent = address;
  const seen = /** @type {HTMLTimeElement} */ (slot(item, "seen"));
  seen.dateTime = lastSeenAt;
  seen.textContent = new Date(lastSeenAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  slot(item, "current").hidden = !current;
  slot(item, "end").hidden = current;
  slot(item, "end").setAttribute("aria-label", `End the session of ${device}, ${address}`);
  slot(item, "end").addEventListener("click", end);
  return item;
}

/** Browsers all claim to be others; the first of these that is named is what it is. */
const BROWSERS = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const SYSTEMS = { Android: "Android", "iPhone|iPad": "iOS", Windows: "Windows", "Mac OS": "macOS", Linux: "Linux" };

/** @param {string} userAgent */
function deviceOf(userAgent) {
  const named = (/** @type {Record<string, string>} */ known) =>
    Object.entries(known).find(([pattern]) => new RegExp(pattern).test(userAgent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return userAgent || "An unknown program";
  return system === undefined ? browser : `${browser} on ${system}`;
}
