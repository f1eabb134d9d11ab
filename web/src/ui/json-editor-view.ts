// CodeMirror, as the page uses it. It is loaded when the first editor is shown.
//
// It lives in a shadow root: there its styles are adopted as constructed sheets, which the page's policy allows. In the document it
// would add a style element, which the policy refuses. Custom properties reach into a shadow root, so the colours of both themes do.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { jsonProblem, problemText } from "./json-problem.ts";

const LINT_DELAY_MS = 300;

export interface JsonEditorOptions {
  text: string;
  selection: { anchor: number; head: number };
  onChange: (text: string) => void;
}

export interface JsonEditorLook {
  label: string;
  /** What is wrong, read aloud with the name. */
  problem: string | null;
  readOnly: boolean;
}

export class JsonEditorView {
  readonly #view: EditorView;
  readonly #look = new Compartment();
  /** What it told of and has not been shown again yet. */
  #told: string[] = [];

  constructor(host: HTMLElement, { text, selection, onChange }: JsonEditorOptions, look: JsonEditorLook) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const told = EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged) return;
      const next = state.doc.toString();
      this.#told.push(next);
      onChange(next);
    });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({ doc: text, selection, extensions: [BASE, told, this.#look.of(lookOf(look))] }),
    });
  }

  /**
   * Takes a text from outside. What is there already stays as it is, and so does the cursor. What comes back is what was typed a
   * moment ago: somebody who types faster than the page is drawn would lose what they typed since.
   */
  show(text: string): void {
    const at = this.#told.lastIndexOf(text);
    if (at >= 0) {
      this.#told = this.#told.slice(at + 1);
      return;
    }
    const { doc } = this.#view.state;
    if (doc.toString() !== text) this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  look(look: JsonEditorLook): void {
    this.#view.dispatch({ effects: this.#look.reconfigure(lookOf(look)) });
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}

function lookOf({ label, problem, readOnly }: JsonEditorLook): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      ...(readOnly ? { "aria-readonly": "true" } : {}),
      ...(problem === null ? {} : { "aria-invalid": "true", "aria-description": problem }),
    }),
  ];
}

function mistakes({ state }: EditorView): Diagnostic[] {
  const text = state.doc.toString();
  const problem = text.trim() === "" ? null : jsonProblem(text);
  if (problem === null) return [];
  // A mark has to be a character wide to be seen.
  const from = Math.min(problem.offset, Math.max(0, text.length - 1));
  return [{ from, to: Math.min(text.length, from + 1), severity: "error", message: problemText(problem) }];
}

// A browser that replaces several lines by itself keeps their colours in a style attribute, which the page's policy refuses and the
// console tells of. So the editor replaces what is selected, and the browser does not get to it.
const replaceSelected = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state } = view;
    if (event.inputType !== "insertText" || event.data === null || event.isComposing) return false;
    if (state.readOnly || state.selection.main.empty) return false;
    view.dispatch(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--color-accent)" },
  { tag: tags.string, color: "var(--color-ok)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--color-odd)" },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: "var(--color-muted)" },
]);

const LOOK = EditorView.theme({
  "&": {
    height: "100%",
    maxHeight: "inherit",
    fontSize: "0.75rem",
    color: "var(--color-ink)",
    background: "transparent",
  },
  "&.cm-focused": { outline: "none" },
  // The room above the text is the scroller's, not the content's: that one the numbers of the lines would learn of only later.
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.25rem", overflow: "auto", padding: "0.5rem 0" },
  ".cm-content": { padding: "0", caretColor: "var(--color-ink)" },
  ".cm-cursor": { borderLeftColor: "var(--color-ink)" },
  ".cm-gutters": { background: "transparent", color: "var(--color-muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "transparent" },
  "&.cm-focused .cm-activeLine": { background: "color-mix(in oklab, var(--color-accent) 7%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--color-accent) 25%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": {
    background: "var(--color-raised)",
    outline: "1px solid var(--color-line-strong)",
  },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--color-bad)",
    background: "color-mix(in oklab, var(--color-bad) 18%, transparent)",
  },
  ".cm-tooltip": {
    background: "var(--color-surface)",
    color: "var(--color-ink)",
    border: "1px solid var(--color-line)",
    borderRadius: "0.375rem",
    fontFamily: "var(--font-sans)",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--color-bad)" },
});

// Tab is not bound: it leaves the editor, as it leaves every other field.
const BASE: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  replaceSelected,
  highlightActiveLine(),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  json(),
  syntaxHighlighting(COLOURS),
  linter(mistakes, { delay: LINT_DELAY_MS }),
  keymap.of([...defaultKeymap, ...historyKeymap]),
  LOOK,
];
