import { useEffect, useId, useRef, useState } from "react";
import { cx } from "./class-names.ts";
import type { JsonEditorView } from "./json-editor-view.ts";
import { jsonProblem, problemText } from "./json-problem.ts";

/** JSON to be written and read. Until the editor is loaded, and where it cannot be, there is a plain field. */
export function JsonEditor({
  value,
  onChange,
  label,
  error,
  about,
  height,
  readOnly = false,
}: {
  value: string;
  onChange: (text: string) => void;
  label: string;
  /** What the server says of it. What is wrong with the JSON itself the editor says by itself. */
  error: string | null;
  about?: string | undefined;
  /** Such as "20rem"; else it grows with the text, up to a point. */
  height?: string | undefined;
  readOnly?: boolean;
}) {
  const id = useId();
  const [loaded, setLoaded] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const view = useRef<JsonEditorView | null>(null);
  const problem = syntaxText(value) ?? error;
  const latest = useRef({ value, onChange, look: { label, problem, readOnly } });
  latest.current = { value, onChange, look: { label, problem, readOnly } };

  useEffect(() => {
    let gone = false;
    import("./json-editor-view.ts").then(
      ({ JsonEditorView }) => {
        if (gone || host.current === null) return;
        const field = plain.current;
        const focused = field !== null && document.activeElement === field;
        const { look } = latest.current;
        // The field has what was typed until now; what was drawn last may be a letter behind.
        const text = field?.value ?? latest.current.value;
        const selection = {
          anchor: Math.min(field?.selectionStart ?? 0, text.length),
          head: Math.min(field?.selectionEnd ?? 0, text.length),
        };
        // What is not shown cannot be measured, and the editor measures itself at once.
        host.current.hidden = false;
        const tell = (next: string) => latest.current.onChange(next);
        view.current = new JsonEditorView(host.current, { text, selection, onChange: tell }, look);
        if (focused) view.current.focus();
        setLoaded(true);
      },
      // Without it there is still the plain field, which can do all that must be done.
      () => {},
    );
    return () => {
      gone = true;
      view.current?.destroy();
      view.current = null;
      setLoaded(false);
    };
  }, []);
  useEffect(() => view.current?.show(value), [value]);
  useEffect(() => view.current?.look({ label, problem, readOnly }), [label, problem, readOnly]);

  const size = height === undefined ? "min-h-24 max-h-96" : "";
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={`${id}-label`} className="font-medium">
        {label}
      </span>
      {!loaded && (
        <textarea
          ref={plain}
          aria-labelledby={`${id}-label`}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          aria-invalid={problem !== null || undefined}
          readOnly={readOnly}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          style={height === undefined ? {} : { height }}
          className={cx(
            "field-sizing-content rounded-md border p-2 font-mono text-xs leading-5",
            boxLook(problem),
            size,
          )}
        />
      )}
      <div
        ref={host}
        hidden={!loaded}
        data-invalid={problem === null ? undefined : ""}
        style={height === undefined ? {} : { height }}
        className={cx(
          "focus-within:outline-accent overflow-auto rounded-md border focus-within:outline-2 focus-within:outline-offset-2",
          boxLook(problem),
          size,
        )}
      />
      {about !== undefined && <p className="text-muted text-xs">{about}</p>}
      {/* It is there from the beginning: what appears in it is then read aloud. */}
      <p id={`${id}-problem`} aria-live="polite" className="text-bad text-xs [overflow-wrap:anywhere] empty:hidden">
        {problem}
      </p>
    </div>
  );
}

function boxLook(problem: string | null): string {
  return cx("bg-surface text-ink min-w-0", problem === null ? "border-line-strong" : "border-bad");
}

/** Nothing is not yet wrong: whoever needs a value says so. */
function syntaxText(text: string): string | null {
  const problem = text.trim() === "" ? null : jsonProblem(text);
  return problem === null ? null : problemText(problem);
}
