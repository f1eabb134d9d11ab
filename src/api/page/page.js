// The first page: whoever comes by a link chooses a password or is signed in, others sign in, and whoever is signed in sees who
// they are. A link's token stands behind the #, which no server sees.

import { showAccount } from "./account.js";
import { ask, Refusal } from "./ask.js";
import { chosen, showForm } from "./form.js";
import { slot } from "./view.js";

/** @typedef {import("./account.js").Me} Me */

async function start() {
  const [, kind, token = ""] = /^#([a-z-]+)=(.+)$/.exec(location.hash) ?? [];
  if (kind === "setup") showSetup(token);
  else if (kind === "password") showPassword(token);
  else if (kind === "sign-in") await signInBy(token);
  else if (kind === "sign-in-failed") await failed(token);
  else await showWhoever();
}

/** Neither the address bar nor the history keeps a token. */
function forgetToken() {
  history.replaceState(null, "", location.pathname);
}

/** @param {string} token */
function showSetup(token) {
  showForm("setup", async (values) => {
    const { name, ...rest } = chosen(values);
    enter(await ask("POST", "/auth/setup", { token, ...rest, ...(name === "" ? {} : { name }) }));
  });
}

/** @param {string} token */
function showPassword(token) {
  showForm("choose-password", async (values, form) => {
    const { password } = chosen(values);
    const me = await ask("POST", "/auth/setup", { token, password });
    // So that a password manager knows whose it is.
    /** @type {HTMLInputElement} */ (form.elements.namedItem("username")).value = me.name;
    enter(me);
  });
}

/** @param {string} token */
async function signInBy(token) {
  forgetToken();
  try {
    enter(await ask("POST", "/auth/login", { token }));
  } catch (error) {
    await showSignIn(wordsOf(error));
  }
}

/** @param {string} code */
async function failed(code) {
  forgetToken();
  await showSignIn(`Your organisation’s account did not let you in (${code}). Ask an admin for an invitation.`);
}

/** @param {Me} me */
function enter(me) {
  forgetToken();
  void showAccount(me, showSignIn);
}

async function showWhoever() {
  try {
    await showAccount(await ask("GET", "/me"), showSignIn);
  } catch (error) {
    // That nobody is signed in is no news to somebody who is about to.
    await showSignIn(error instanceof Refusal && error.status === 401 ? "" : wordsOf(error));
  }
}

/** @param {string} hint */
async function showSignIn(hint) {
  const view = showForm("sign-in", async (values) => enter(await ask("POST", "/auth/login", values)));
  const place = slot(view, "hint");
  const { oidc, setup } = await ask("GET", "/auth/ways").catch(() => ({ oidc: false, setup: false }));
  slot(view, "oidc").hidden = !oidc;
  place.textContent = hint || (setup ? NOBODY_YET : "");
  place.hidden = place.textContent === "";
}

const NOBODY_YET =
  "No admin has a password yet. Open the link that was printed when Punctual started, or make one with: punctual setup-link";

/** @param {unknown} error */
function wordsOf(error) {
  if (error instanceof Refusal) return error.message;
  throw error;
}

addEventListener("hashchange", () => {
  if (location.hash !== "") void start();
});
void start();
