// Where a command's words go. What was asked for goes to standard output, and with --json nothing but JSON does;
// everything said beside it (what was done, progress, questions) goes to standard error, so that it never ends up in
// a file or in the next program.

import { type Paint, painter, wantsColour } from "./colour.ts";
import { type Column, table } from "./table.ts";
import { wrap } from "./text.ts";
import { relative } from "./time.ts";

const WIDTH_DEFAULT = 80;
const WIDTH_MIN = 40;

export interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface OutputOptions {
  /** Only JSON on standard output. */
  json: boolean;
  colour: boolean;
  environment?: NodeJS.ProcessEnv;
  stdout?: Stream;
  stderr?: Stream;
  now?: () => Date;
}

export class Output {
  readonly json: boolean;
  /** A person looks at standard output. */
  readonly terminal: boolean;
  /** Columns that a line may have; without end where nobody said how many there are. */
  readonly width: number;
  /** For standard output. */
  readonly paint: Paint;
  /** For standard error. */
  readonly paintNote: Paint;
  readonly #stdout: Stream;
  readonly #stderr: Stream;
  readonly #now: () => Date;
  #progress = "";

  constructor({ json, colour, environment = process.env, ...streams }: OutputOptions) {
    const { stdout = process.stdout, stderr = process.stderr, now = () => new Date() } = streams;
    this.json = json;
    this.terminal = stdout.isTTY === true;
    this.width = widthOf(stdout, environment);
    this.paint = painter(wantsColour(stdout, { flag: colour, environment }));
    this.paintNote = painter(wantsColour(stderr, { flag: colour, environment }));
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#now = now;
  }

  get now(): Date {
    return this.#now();
  }

  /** The answer: as JSON if that was asked for, else in the words that `text` finds. */
  show(value: unknown, text: () => string): void {
    if (this.json) this.#write(`${JSON.stringify(value, null, 2)}\n`);
    else this.print(text());
  }

  /** One of many answers: a JSON line, or the line that `text` makes. */
  showLine(value: unknown, text: () => string): void {
    if (this.json) this.#write(`${JSON.stringify(value)}\n`);
    else this.print(text());
  }

  /** A page of a list. `empty` says what to do next where there is nothing. */
  showList<Row>(
    page: { items: readonly Row[]; nextCursor?: string | null },
    columns: readonly Column<Row>[],
    { empty, more }: { empty: string; more?: string },
  ): void {
    this.show(page, () => this.table(page.items, columns));
    if (this.json) return;
    if (page.items.length === 0) this.note(empty);
    else if (page.nextCursor) this.note(more ?? "There are more: --all shows them, --limit more at once.");
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
    return table(rows, columns, { width: this.width, paint: this.paint });
  }

  /** To standard output, as text; ends with a line break if it is not empty. */
  print(text: string): void {
    this.#write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Said to a person, beside the answer. */
  note(text: string): void {
    this.#clearProgress();
    // A terminal breaks lines within words; where nobody looks, lines stay whole.
    const shown = this.#stderr.isTTY === true ? wrap(text, this.#stderr.columns || WIDTH_DEFAULT) : text;
    this.#stderr.write(`${shown}\n`);
  }

  /** The same for a program, on one line whatever the terminal's width. */
  noteJson(value: unknown): void {
    this.#clearProgress();
    this.#stderr.write(`${JSON.stringify(value)}\n`);
  }

  /** What is going on, on one line that is replaced by the next; only a person at a terminal sees it. */
  progress(text: string): void {
    if (this.#stderr.isTTY !== true) return;
    this.#clearProgress();
    this.#progress = text.slice(0, (this.#stderr.columns || WIDTH_DEFAULT) - 1);
    this.#stderr.write(this.#progress);
  }

  endProgress(): void {
    this.#clearProgress();
  }

  /** "2 h ago" for a person, the instant itself for a program. */
  time(instant: string | null | undefined): string {
    if (instant === null || instant === undefined) return "-";
    return this.terminal ? relative(instant, this.#now()) : instant;
  }

  /** Both, where there is room for it. */
  timeInFull(instant: string | null | undefined): string {
    if (instant === null || instant === undefined) return "-";
    return this.terminal ? `${instant} (${relative(instant, this.#now())})` : instant;
  }

  #write(text: string): void {
    if (text === "") return;
    this.#clearProgress();
    this.#stdout.write(text);
  }

  #clearProgress(): void {
    if (this.#progress === "") return;
    this.#stderr.write("\r\u001b[K");
    this.#progress = "";
  }
}

function widthOf(stdout: Stream, environment: NodeJS.ProcessEnv): number {
  const said = Number(environment.COLUMNS);
  if (Number.isInteger(said) && said > 0) return Math.max(WIDTH_MIN, said);
  if (stdout.isTTY !== true) return Number.POSITIVE_INFINITY;
  return Math.max(WIDTH_MIN, stdout.columns || WIDTH_DEFAULT);
}
