import { Refusal } from "./ask.js";
import { complain, copyOf, show } from "./view.js";

/** @typedef {Record<string, string>} Values */

/**
 * Shows a form. `send` is called with what was typed; what it refuses is told beside the field that it names.
 *
 * @param {string} id of its template
 * @param {(values: Values, form: HTMLFormElement) => Promise<void>} send
 */
export function showForm(id, send) {
  const view = show(copyOf(id));
  const form = /** @type {HTMLFormElement} */ (view.querySelector("form"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    forget(form);
    try {
      await send(valuesOf(form), form);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell(form, error);
    } finally {
      button.disabled = false;
    }
  });
  return view;
}

/**
 * A password that is chosen is typed twice.
 *
 * @param {Values} values
 */
export function chosen({ again, ...values }) {
  if (again === values.password) return values;
  throw new Refusal(400, "", [{ path: "again", message: "is not the same" }]);
}

/** @param {HTMLFormElement} form */
function valuesOf(form) {
  return /** @type {Values} */ (Object.fromEntries(new FormData(form)));
}

/** @param {HTMLFormElement} form */
function forget(form) {
  complain(form, "");
  for (const input of form.querySelectorAll("input")) {
    input.removeAttribute("aria-invalid");
    const place = form.querySelector(`#${input.id}-problem`);
    if (place) place.textContent = "";
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Refusal} refusal
 */
function tell(form, { message, problems }) {
  const others = problems.filter(({ path, message }) => !tellField(form, path, message));
  if (problems.length === 0) complain(form, message);
  else complain(form, others.map(({ path, message }) => `${path} ${message}`).join("; "));
  /** @type {HTMLElement | null} */ (form.querySelector('[aria-invalid="true"]'))?.focus();
}

/**
 * @param {HTMLFormElement} form
 * @param {string} path
 * @param {string} message
 */
function tellField(form, path, message) {
  const input = [...form.querySelectorAll("input")].find(({ name }) => name === path);
  const place = input && form.querySelector(`#${input.id}-problem`);
  if (!place) return false;
  input.setAttribute("aria-invalid", "true");
  place.textContent = place.textContent === "" ? message : `${place.textContent}; ${message}`;
  return true;
}
