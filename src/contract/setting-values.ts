// What one setting's value may be: how it is read from text and how it is shown. A refusal names the value seen (unless
// it is a secret) and the way out, because the person who reads it stands before a program that did not start.

import { formatDuration, parseDuration } from "./duration.ts";
import { durationWithin } from "./duration-schema.ts";
import { fittingAlgorithms } from "./public-key.ts";

type Reading<T> = { value: T } | { refused: string };

export interface Kind<T> {
  read(text: string): Reading<T>;
  show(value: T): string;
  /** How null is shown where it is a value and does not mean "not set". */
  none?: string;
}

const KEY_BYTES = 32;
const ADMIN_KEY_CHARACTERS_MIN = 32;
const VALUE_SHOWN_MAX = 80;
const MAKE_KEY = "make one with: openssl rand -base64 32";
const ENCODE = "characters like @ / # in the password are written %40 %2F %23";
const HIDDEN = "[hidden]";

export const onOff: Kind<boolean> = {
  read(text) {
    if (/^(on|true|yes|1)$/i.test(text)) return { value: true };
    if (/^(off|false|no|0)$/i.test(text)) return { value: false };
    return refuse(text, 'is neither "on" nor "off"');
  },
  show: (value) => (value ? "on" : "off"),
};

export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    read(text) {
      const value = Number(text);
      return /^\d{1,15}$/.test(text) && value >= min && value <= max
        ? { value }
        : refuse(text, `is not a whole number from ${min} to ${max}`);
    },
    show: String,
  };
}

export function choice<const T extends string>(...values: T[]): Kind<T> {
  return {
    read(text) {
      const value = values.find((known) => known === text.toLowerCase());
      return value === undefined ? refuse(text, `is not one of ${values.join(", ")}`) : { value };
    },
    show: String,
  };
}

/** Several of the given words, in any order, each once. */
export function choices<const T extends string>(...values: T[]): Kind<readonly T[]> {
  return {
    read(text) {
      const named = listed(text);
      const unknown = named.find((name) => !values.includes(name as T));
      if (unknown !== undefined) return refuse(unknown, `is not one of ${values.join(", ")}`);
      return { value: values.filter((value) => named.includes(value)) };
    },
    show: (value) => value.join(","),
  };
}

export function durationMs(limits: { min: string; max: string }): Kind<number> {
  return {
    read(text) {
      const checked = durationWithin(limits).safeParse(text);
      return checked.success ? { value: parseDuration(text) } : { refused: checked.error.issues[0]!.message };
    },
    show: formatDuration,
  };
}

/** A number a minute, or null for no limit. */
export const perMinute: Kind<number | null> = {
  read(text) {
    if (/^(off|none|0)$/i.test(text)) return { value: null };
    const value = Number(text);
    return /^\d{1,9}$/.test(text)
      ? { value }
      : refuse(text, 'is not a number of requests a minute; write one such as 6000, or "off"');
  },
  show: String,
  none: "off",
};

/** A line of text without control characters. */
export const plainText: Kind<string> = {
  read(text) {
    if (text.length > 255) return refuse(text, "is longer than 255 characters");
    return /\p{Cc}/u.test(text) ? refuse(text, "contains a control character") : { value: text };
  },
  show: String,
};

/** Words separated by commas. */
export const names: Kind<readonly string[]> = {
  read(text) {
    const words = listed(text);
    const odd = words.find((word) => !/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(word));
    return odd === undefined ? { value: words } : refuse(odd, "is no name");
  },
  show: (value) => value.join(","),
};

export const hostToBind: Kind<string> = {
  read: (text) =>
    isAddress(text) || isHostName(text)
      ? { value: text }
      : refuse(text, "is not an address or host name; use 127.0.0.1 for this machine only, 0.0.0.0 or :: for all"),
  show: String,
};

/** An origin with an optional path, kept without the slash at its end. */
export const webUrl: Kind<string> = {
  read(text) {
    const url = parseUrl(text);
    if (url === null || !["http:", "https:"].includes(url.protocol))
      return refuse(text, "is not an http: or https: URL, such as https://punctual.example.com");
    if (url.search !== "" || url.hash !== "" || url.username !== "")
      return refuse(withoutPassword(text), "has a user, a query or a fragment; give only scheme, host, port and path");
    return { value: text.replace(/\/+$/, "") };
  },
  show: String,
};

/** A forward proxy, with the user and password it asks for. A value that is refused is not repeated: it may hold one. */
export const proxyUrl: Kind<string> = {
  read(text) {
    const url = parseUrl(text);
    if (url === null || !["http:", "https:"].includes(url.protocol))
      return {
        refused: `the value is not an http: or https: URL, such as http://user:password@proxy.example.com:3128; ${ENCODE}`,
      };
    if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
      return {
        refused: `the URL has more than scheme, user, password, host and port; ${ENCODE}`,
      };
    if (![url.username, url.password].every(isPercentEncoded))
      return {
        refused: "the URL has a % in its user or password that is not followed by two hexadecimal digits; write %25",
      };
    return { value: text };
  },
  show: withoutUser,
};

/** Where a page may come from: scheme, host and port. Never `*`: whoever means everybody has no list to keep. */
export const origins: Kind<readonly string[]> = {
  read(text) {
    const entries = listed(text).map((entry) => entry.replace(/\/$/, "").toLowerCase());
    const wrong = entries.find((entry) => !/^https?:\/\/[^*]+$/.test(entry) || parseUrl(entry)?.origin !== entry);
    return wrong === undefined
      ? { value: [...new Set(entries)] }
      : refuse(
          wrong,
          "is not an origin, such as https://console.example.com: scheme, host and a port if it is unusual",
        );
  },
  show: (value) => value.join(","),
};

export const postgresUrl: Kind<string> = {
  read(text) {
    const url = parsePostgresUrl(text);
    if (url === null || !["postgres:", "postgresql:"].includes(url.protocol))
      return refuse(
        withoutPassword(text),
        `is not a database URL, such as postgres://user:password@host:5432/punctual; ${ENCODE}`,
      );
    return { value: text };
  },
  show: withoutPassword,
};

/** Who may say for whom a request came: nobody, everybody, the last n proxies, or those with these addresses. */
export const trustedProxies: Kind<boolean | number | readonly string[]> = {
  read(text) {
    if (/^\d{1,2}$/.test(text)) return { value: Number(text) === 0 ? false : Number(text) };
    const flag = onOff.read(text);
    if ("value" in flag) return flag;
    const wrong = listed(text).find((entry) => rangeOf(entry) === null);
    return wrong === undefined
      ? { value: listed(text) }
      : refuse(wrong, "is not an address or range; give the number of proxies in front (1), or their addresses");
  },
  show: (value) =>
    typeof value === "boolean" ? onOff.show(value) : typeof value === "number" ? String(value) : value.join(","),
};

/** Addresses, ranges (CIDR) and host names; `*.example.com` stands for every name below example.com. */
export const egressList: Kind<readonly string[]> = {
  read(text) {
    const entries = listed(text).map((entry) => entry.toLowerCase());
    const wrong = entries.find((entry) => rangeOf(entry) === null && !isHostPattern(entry));
    return wrong === undefined
      ? { value: [...new Set(entries)] }
      : refuse(wrong, "is neither a range such as 10.0.0.0/8, nor an address, nor a host name");
  },
  show: (value) => value.join(","),
};

/** Both ends belong to it. */
export type PortRange = readonly [first: number, last: number];

/** Ports and ranges of them, such as 443 and 8000-8999. */
export const ports: Kind<readonly PortRange[]> = {
  read(text) {
    const entries = listed(text);
    const ranges = entries.map(portRange);
    const wrong = entries.find((_, index) => ranges[index] === null) ?? (entries.length === 0 ? text : undefined);
    return wrong === undefined
      ? { value: ranges.filter((range) => range !== null) }
      : refuse(wrong, "is neither a port from 1 to 65535 nor a range such as 8000-8999");
  },
  show: (value) => value.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(","),
};

function portRange(text: string): PortRange | null {
  const [, first = "", last = first] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(text) ?? [];
  const range = [Number(first), Number(last)] as const;
  return range[0] >= 1 && range[0] <= range[1] && range[1] <= 65_535 ? range : null;
}

/** An entry of an egress list so wide that the list would protect nobody. */
export function coversTooMuch(entry: string): boolean {
  const range = rangeOf(entry);
  // 10.0.0.0/8 and fc00::/7 are the widest private ranges; nobody who means a network needs a wider one.
  return range !== null && range.bits < (range.family === 4 ? 8 : 7);
}

export const adminKey: Kind<string> = {
  read(text) {
    if (text.length < ADMIN_KEY_CHARACTERS_MIN)
      return {
        refused: `the key has ${text.length} characters and needs ${ADMIN_KEY_CHARACTERS_MIN}; make one with: openssl rand -hex 32`,
      };
    // It travels in a header: anything else would arrive changed or not at all.
    if (!/^[\x21-\x7e]+$/.test(text)) return { refused: "the key has spaces or characters that a header cannot carry" };
    return { value: text };
  },
  show: () => HIDDEN,
};

/** For signatures that both sides make with it. */
export const sharedSecret: Kind<string> = {
  read: (text) =>
    text.length < ADMIN_KEY_CHARACTERS_MIN
      ? {
          refused: `the secret has ${text.length} characters and needs ${ADMIN_KEY_CHARACTERS_MIN}; make one with: openssl rand -hex 32`,
        }
      : { value: text },
  show: () => HIDDEN,
};

/** A variable can seldom hold line breaks, so that they may be written as \\n. */
export const publicKey: Kind<string> = {
  read(text) {
    const pem = text.replaceAll("\\n", "\n").trim();
    // Of a private key nothing is repeated.
    if (!/^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PUBLIC KEY-----$/.test(pem))
      return { refused: "the value is not a public key in PEM form (-----BEGIN PUBLIC KEY-----)" };
    const fitting = fittingAlgorithms(pem);
    return "refused" in fitting ? { refused: `the key ${fitting.refused}` } : { value: pem };
  },
  show: (value) => `(${value.length} characters)`,
};

/** Something to be read from there, with whatever query it needs. */
export const fetchedUrl: Kind<string> = {
  read(text) {
    const url = parseUrl(text);
    if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "")
      return refuse(withoutPassword(text), "is not an http: or https: URL without a user");
    return { value: text };
  },
  show: String,
};

/** Who vouches for people. What is asked of them travels in the clear only within this machine. Kept as it is written: it is compared. */
export const issuerUrl: Kind<string> = {
  read(text) {
    const url = parseUrl(text);
    if (url === null || !["http:", "https:"].includes(url.protocol))
      return refuse(withoutPassword(text), "is not an https: URL, such as https://id.example.com");
    if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
      return refuse(withoutPassword(text), "has a user, a query or a fragment; give only scheme, host, port and path");
    return url.protocol === "https:" || isOwnMachine(url)
      ? { value: text }
      : refuse(text, "is not https:, so that anybody on the way could vouch for anybody");
  },
  show: String,
};

/** Made by others, so of whatever length they chose. */
export const givenSecret: Kind<string> = {
  read: (text) => (/\p{Cc}/u.test(text) ? { refused: "the secret contains a control character" } : { value: text }),
  show: () => HIDDEN,
};

/** `http:` to it leaves no machine. */
export function isOwnMachine({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

export const encryptionKeys: Kind<readonly Buffer[]> = {
  read(text) {
    const keys: Buffer[] = [];
    for (const [index, part] of listed(text).entries()) {
      const key = Buffer.from(part, "base64");
      const which = `key ${index + 1}`;
      if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(part)) return { refused: `${which} is not base64; ${MAKE_KEY}` };
      if (key.length !== KEY_BYTES)
        return {
          refused: `${which} has ${key.length} bytes when decoded from base64 and needs ${KEY_BYTES}; ${MAKE_KEY}`,
        };
      if (key.every((byte) => byte === key[0])) return { refused: `${which} is one byte repeated; ${MAKE_KEY}` };
      if (keys.some((other) => other.equals(key))) return { refused: `${which} is there twice; remove one` };
      keys.push(key);
    }
    return { value: keys };
  },
  show: (value) => (value.length === 0 ? "" : `${HIDDEN} (${value.length})`),
};

function refuse(seen: string, why: string): { refused: string } {
  const cut = seen.length > VALUE_SHOWN_MAX ? `${seen.slice(0, VALUE_SHOWN_MAX)}…` : seen;
  return { refused: `${JSON.stringify(cut)} ${why}` };
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** As libpq and pg read it: the host may be missing, because a socket folder can stand in `?host=`. */
function parsePostgresUrl(text: string): URL | null {
  return parseUrl(text) ?? parseUrl(text.replace(/@(?=[:/?]|$)/, "@localhost"));
}

/** A URL as it may be shown. What cannot be parsed may still hold a password: everything before the last @ goes. */
export function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^:@/]*):.*@/i, `$1$2:${HIDDEN}@`)
    .replace(/([?&][^=&]*password=)[^&]*/gi, `$1${HIDDEN}`);
}

/** Of some proxies the user is a token, so it is as secret as the password. */
function withoutUser(text: string): string {
  const { protocol, username, password, host } = new URL(text);
  return `${protocol}//${username + password === "" ? "" : `${HIDDEN}@`}${host}`;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isHostName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(text);
}

/** The last label is no number: `10.1` is an address with a slip in it, never a name. */
function isHostPattern(text: string): boolean {
  return isHostName(text.replace(/^\*\./, "")) && !/(^|\.)\d*$/.test(text);
}

function isAddress(text: string): boolean {
  const range = rangeOf(text);
  return range !== null && !text.includes("/");
}

function rangeOf(text: string): { family: 4 | 6; bits: number } | null {
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const family = familyOf(address);
  if (family === null) return null;
  const most = family === 4 ? 32 : 128;
  return Number(bits ?? most) <= most ? { family, bits: Number(bits ?? most) } : null;
}

function familyOf(address: string): 4 | 6 | null {
  if (/^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(address)) return 4;
  return address.includes(":") && /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`) ? 6 : null;
}
