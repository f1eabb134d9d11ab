// Text from elsewhere, made fit for a terminal: it may hold escape sequences that would repaint the screen, and
// characters that are two columns wide.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Control characters become visible instead of obeyed; lines and tabs stay. */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

/** The same on a single line, for a cell of a table. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/g, " ").trim();
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** At most so many columns; what was cut off is told by an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    used += WIDE.test(character) ? 2 : 1;
    if (used > width - 1) break;
    kept += character;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Broken into lines of at most so many columns: at spaces where there are some, else anywhere. Indentation stays. */
export function wrap(text: string, width: number, indent = ""): string {
  const room = Math.max(20, width - indent.length);
  return text
    .split("\n")
    .flatMap((paragraph) => {
      const lines: string[] = [];
      const lead = /^ */.exec(paragraph)![0];
      let line = "";
      for (const word of paragraph
        .slice(lead.length)
        .split(" ")
        .flatMap((long) => pieces(long, room))) {
        const longer = line === "" ? word : `${line} ${word}`;
        const full = line !== "" && lead.length + widthOf(longer) > room;
        if (full) lines.push(line);
        line = full ? word : longer;
      }
      return [...lines, line].map((text) => lead + text);
    })
    .map((line) => `${indent}${line}`.trimEnd())
    .join("\n");
}

function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const found: string[] = [];
  let piece = "";
  for (const character of word) {
    if (widthOf(piece) + widthOf(character) > width) {
      found.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...found, piece];
}
