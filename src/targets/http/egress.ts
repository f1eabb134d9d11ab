// Where calls may go. Jobs are written by people who may not be allowed into the network that Punctual runs in, so a
// target must not become a way in (SSRF): loopback, private, link-local and every other special range are refused
// unless the operator opened them.
//
// What decides is the address that is dialled, not the name: a name can be pointed anywhere, and at another place
// between a check and the call (DNS rebinding). So the dialler (dial.ts) asks about each address it resolved and
// connects to exactly the addresses that passed. Checking a URL before, when a job is saved, is a courtesy: it catches
// literal addresses and listed names early, with no DNS.
//
// Ports are judged beside addresses: a request to the port of a mail server or a shell is an attack in itself, for some of
// them read what they understand and skip the rest. That is decided before anything is resolved or dialled, so that it
// tells nothing about who listens there.
//
// A message names the host and the setting that would open it, never the address behind the name: that would let a
// job's owner read the operator's DNS.

import {
  type Address,
  addressForms,
  isInsideName,
  isSpecial,
  parseAddress,
  parseRange,
  type Range,
} from "./special-ranges.ts";

/** Addresses, ranges ("10.0.0.0/8"), names and "*.example.com", which stands for every name below example.com. */
export interface EgressLists {
  /** Exceptions to the special ranges. A name is trusted with whatever address it has. */
  allow?: readonly string[];
  /** If not empty: nothing else. It opens no special range; that is what `allow` is for. */
  only?: readonly string[];
  /** Wins over the others. */
  deny?: readonly string[];
  /** Ports that may be called, each range with both its ends; without it any. */
  ports?: readonly (readonly [first: number, last: number])[];
}

const ANY_PORT = [[1, 65_535]] as const;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

export class EgressGuard {
  readonly #allow: EgressList;
  readonly #only: EgressList;
  readonly #deny: EgressList;
  readonly #ports: NonNullable<EgressLists["ports"]>;

  constructor({ allow = [], only = [], deny = [], ports = ANY_PORT }: EgressLists = {}) {
    this.#allow = new EgressList(allow);
    this.#only = new EgressList(only);
    this.#deny = new EgressList(deny);
    this.#ports = ports;
  }

  /** Why a URL can never be called, or null. Without DNS: a null is no promise. */
  refusal(url: string, { isResolvedElsewhere = false } = {}): string | null {
    if (!URL.canParse(url)) return `"${url}" is not a URL`;
    const { protocol, hostname, port } = new URL(url);
    const usual = DEFAULT_PORTS[protocol];
    if (usual === undefined) return `"${protocol}" is not a scheme that targets may have; use http: or https:`;
    const refusal = isResolvedElsewhere ? this.nameRefusal(hostname) : this.hostRefusal(hostname);
    return refusal ?? this.portRefusal(hostname, port === "" ? usual : Number(port));
  }

  /**
   * The same for a host as the URL parser gives it: that has already turned decimal, octal, hexadecimal and shortened
   * IPv4 notations into dotted ones.
   */
  hostRefusal(hostname: string): string | null {
    const host = plainHost(hostname);
    if (parseAddress(host) !== null) return this.addressRefusal(host, host);
    if (this.#deny.hasHost(host)) return denied(host);
    // With ranges on the list only the address can tell.
    if (this.#only.hasHostsOnly && !this.#only.hasHost(host)) return notListed(host);
    if (host !== "localhost" && !host.endsWith(".localhost")) return null;
    return this.addressRefusal(host, "127.0.0.1") && this.addressRefusal(host, "::1");
  }

  /**
   * The same for a host that somebody else will resolve if it is a name, so that its addresses are never seen here. None can
   * speak for it, so it has to be on `only` itself, and a name that is only known inside is as good as an address inside.
   */
  nameRefusal(hostname: string): string | null {
    const host = plainHost(hostname);
    const refusal = this.hostRefusal(host);
    if (refusal !== null || parseAddress(host) !== null) return refusal;
    if (!this.#only.isEmpty && !this.#only.hasHost(host)) return notListed(host);
    return isInsideName(host) && !this.#allow.hasHost(host) ? special(host) : null;
  }

  portRefusal(hostname: string, port: number): string | null {
    const isOpen = this.#ports.some(([first, last]) => first <= port && port <= last);
    return isOpen ? null : closedPort(plainHost(hostname), port);
  }

  /** Why an address that the host leads to must not be dialled, or null. */
  addressRefusal(hostname: string, address: string): string | null {
    const host = plainHost(hostname);
    const parsed = parseAddress(plainHost(address));
    // What cannot be understood cannot be judged either.
    if (parsed === null) return `${host} leads to something that is not an IP address`;
    const { same, carried } = addressForms(parsed);
    const forms = [...same, ...carried];
    if (this.#deny.has(host, forms)) return denied(host);
    if (!this.#only.isEmpty && !this.#only.has(host, same)) return notListed(host);
    // Each by itself: an open IPv4 address within an IPv6 address opens the one, not the other.
    return forms.every((form) => !isSpecial(form) || this.#allow.has(host, [form])) ? null : special(host);
  }
}

class EgressList {
  readonly #ranges: Range[] = [];
  readonly #hosts = new Set<string>();
  readonly #suffixes: string[] = [];

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const range = parseRange(entry);
      if (range !== null) this.#ranges.push(range);
      // Taken for a name, a mistyped range would quietly match nothing.
      else if (!/^(?:\*|(?:\*\.)?[a-z0-9._-]*[a-z_-][a-z0-9._-]*)$/i.test(entry))
        throw new RangeError(`"${entry}" is neither an address nor a range nor a host name`);
      else if (entry.startsWith("*")) this.#suffixes.push(entry.slice(1).toLowerCase());
      else this.#hosts.add(plainHost(entry));
    }
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0 && this.#hosts.size === 0 && this.#suffixes.length === 0;
  }

  get hasHostsOnly(): boolean {
    return !this.isEmpty && this.#ranges.length === 0;
  }

  has(host: string, forms: readonly Address[]): boolean {
    return this.hasHost(host) || this.#ranges.some(([range, bits]) => forms.some((form) => matches(form, range, bits)));
  }

  hasHost(host: string): boolean {
    return this.#hosts.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
  }
}

function matches(address: Address, range: Address, bits: number): boolean {
  return address.kind() === range.kind() && address.match(range, bits);
}

/** Lower case, without the brackets, zone and final dots that a host may be written with. */
function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/%.*$/, "")
    .replace(/\.+$/, "");
}

function denied(host: string): string {
  return `${host} is refused by PUNCTUAL_EGRESS_DENY`;
}

function notListed(host: string): string {
  return `${host} is not covered by PUNCTUAL_EGRESS_ONLY; adding it there would allow it`;
}

function closedPort(host: string, port: number): string {
  return `port ${port} of ${host} is not covered by PUNCTUAL_EGRESS_PORTS; adding it there would allow it`;
}

function special(host: string): string {
  return `${host} leads into a private or otherwise special network; PUNCTUAL_EGRESS_ALLOW=${host} would allow it`;
}
