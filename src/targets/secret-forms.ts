// The forms in which a value comes back from programs that were given it: escaped for the text it stands in, encoded as
// bytes, or read with the wrong encoding. Not promised: a form of a form, or one that somebody makes up to hide it.

/** A piece of base64 that a shorter value leaves may be found anywhere by chance. */
const WITHIN_BASE64_BYTES_MIN = 8;

export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    ...new Set([
      value,
      // UTF-8 that was read as Latin-1, as headers are.
      bytes.toString("latin1"),
      ...jsonForms(value),
      ...urlForms(value.toWellFormed()),
      ...htmlForms(value),
      ...base64Forms(bytes),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
    ]),
  ];
}

/** Some writers escape what is not ASCII, some what HTML would take for its own, some the slash. */
function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(/[\u007f-\uffff]/g, unicodeEscape);
  const forms = [json, ascii, json.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
  const html = [json, ascii].map((form) => form.replace(/[<>&'\u2028\u2029]/g, unicodeEscape));
  return [...forms, ...html, ...html.map(upperEscapes), upperEscapes(ascii)];
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function upperEscapes(text: string): string {
  return text.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
}

/** Percent-encoded whole, or as a form does; with letters of either size; and with what a path or query may keep. */
function urlForms(value: string): string[] {
  const whole = encodeURIComponent(value);
  const strict = whole.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [whole, strict, whole.replaceAll("%20", "+"), strict.replaceAll("%20", "+"), encodeURI(value)];
  return [...forms, ...forms.map(lowerPercents)];
}

function lowerPercents(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

function htmlForms(value: string): string[] {
  const escaped = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return ["&quot;", "&#34;", '"'].flatMap((quote) =>
    ["&#39;", "&#x27;", "&apos;", "'"].map((apostrophe) => escaped.replaceAll('"', quote).replaceAll("'", apostrophe)),
  );
}

/** By itself, and within longer bytes (`user:password`): there it begins at one of three places of a group of four letters. */
function base64Forms(bytes: Buffer): string[] {
  const forms = [bytes.toString("base64").replace(/=+$/, "")];
  if (bytes.length >= WITHIN_BASE64_BYTES_MIN)
    for (const before of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
      // Only letters that the value alone decides.
      forms.push(text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)));
    }
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
