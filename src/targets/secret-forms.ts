// The forms in which a value comes back from programs that were given it: escaped for the text it stands in, encoded as
// bytes, or read with the wrong encoding. Not promised: what was changed three times over, or what somebody makes up to
// hide it.

/** A piece of base64 that a shorter value leaves may be found anywhere by chance. */
const WITHIN_BASE64_BYTES_MIN = 8;
/** Tokens are shorter. Of what is longer, keys and whole files, to make every form would hold up other calls. */
export const ALL_FORMS_CHARACTERS_MAX = 1024;

/** Of a long value only the commonest. */
export function formsOf(value: string): string[] {
  if (value.length > ALL_FORMS_CHARACTERS_MAX) return commonFormsOf(value);
  const bytes = Buffer.from(value);
  const json = jsonForms(value);
  // UTF-8 that was read as Latin-1, as headers are.
  const latin = bytes.toString("latin1");
  const texts = new Set([value, latin, ...json, ...urlForms(value.toWellFormed()), ...htmlForms(value)]);
  return [
    ...new Set([
      ...texts,
      // Echo services answer in JSON, also what was escaped before: a body is a string there.
      ...[...texts].flatMap(nestedForms),
      ...[...new Set([value, ...json])].flatMap((text) => base64Forms(Buffer.from(text))),
      ...hexForms(bytes),
    ]),
  ];
}

/** As it is, in JSON and in URLs, and as bytes. */
export function commonFormsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const url = encodeURIComponent(value.toWellFormed());
  return [...new Set([value, JSON.stringify(value).slice(1, -1), url, ...base64Forms(bytes), ...hexForms(bytes)])];
}

function nestedForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [json, asciiOnly(json), json.replace(FOR_HTML, unicodeEscape)];
}

/** Some writers escape what is not ASCII, some what HTML would take for its own, some the slash. */
function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = asciiOnly(json);
  const forms = [json, ascii, json.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
  const html = [json, ascii].map((form) => form.replace(FOR_HTML, unicodeEscape));
  return [...forms, ...html, ...html.map(upperEscapes), upperEscapes(ascii)];
}

const FOR_HTML = /[<>&'\u2028\u2029]/g;

function asciiOnly(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, unicodeEscape);
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
  const form = new URLSearchParams([["", value]]).toString().slice("=".length);
  const forms = [whole, strict, form, ...[whole, strict].map((text) => text.replaceAll("%20", "+")), encodeURI(value)];
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

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase()];
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
