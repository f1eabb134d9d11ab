import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ExpectedError } from "../expected-error.ts";

/** A text in the user's editor, in a file that nobody else can read. */
export class EditedFile {
  readonly path: string;

  constructor(name: string) {
    this.path = join(mkdtempSync(join(tmpdir(), "punctual-edit-")), name);
  }

  /** Opens the editor and waits for its end. The head is shown as comments and is not part of the text. */
  edit(head: string, text: string): string {
    const comments = head.split("\n").map((line) => `# ${line}`.trimEnd());
    writeFileSync(this.path, `${comments.join("\n")}\n\n${text}`, { mode: 0o600 });
    const editor = process.env.VISUAL || process.env.EDITOR || "vi";
    // By a shell, because the variable may hold arguments: "code --wait".
    const { status, error } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", this.path], { stdio: "inherit" });
    if (error || status !== 0)
      throw new ExpectedError(
        `The editor "${editor}" ended with ${error?.message ?? status}; nothing was changed. Another one is named with EDITOR`,
      );
    return withoutHead(readFileSync(this.path, "utf8"));
  }

  remove(): void {
    rmSync(dirname(this.path), { recursive: true, force: true });
  }
}

function withoutHead(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"));
  return first === -1 ? "" : lines.slice(first).join("\n");
}
