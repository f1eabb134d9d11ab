// Views are templates of the page: they are copied, and data goes into them as text only.

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** @param {string} id */
export function copyOf(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  return /** @type {DocumentFragment} */ (document.importNode(template.content, true));
}

/**
 * @param {ParentNode} view
 * @param {string} name
 */
export function slot(view, name) {
  return /** @type {HTMLElement} */ (view.querySelector(`[data-slot="${name}"]`));
}

/**
 * Shows a view in place of the one before, and brings whoever uses a keyboard or a screen reader there.
 *
 * @param {DocumentFragment} view
 */
export function show(view) {
  main.replaceChildren(view);
  document.title = `${main.querySelector("h1")?.textContent ?? "Welcome"} – Punctual`;
  const first = main.querySelector("form input:not([readonly])") ?? main.querySelector("h1");
  /** @type {HTMLElement | null} */ (first)?.focus();
  return main;
}

/**
 * What is wrong with the view as a whole.
 *
 * @param {ParentNode} view
 * @param {string} text
 */
export function complain(view, text) {
  const place = /** @type {HTMLElement} */ (view.querySelector('[role="alert"]'));
  place.textContent = text;
  place.hidden = text === "";
}
