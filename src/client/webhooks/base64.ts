const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Null for what is no base64; missing padding is forgiven. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return BASE64.test(text) ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : null;
}
