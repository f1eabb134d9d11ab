// Which addresses are not part of the public internet. IPv4: what the registries of special-purpose addresses name,
// as ipaddr.js lists them. IPv6: everything outside 2000::/3, the only block that is given out, and the special parts
// of it. An IPv6 address can carry an IPv4 address that a translator or tunnel would take the call to; such a form is
// judged by what it carries as well, and the tunnels that nobody serves any more are refused whole.

import ipaddr from "ipaddr.js";

export type Address = ReturnType<typeof ipaddr.parse>;
export type Range = [Address, bits: number];

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
// Networks without IPv4 reach it through this prefix, so it is as good or bad as the address in it.
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
// A public address, but one that answers virtual machines only: the agent endpoint of Azure.
const AZURE_WIRE_SERVER = ipaddr.IPv4.parse("168.63.129.16");

const INSIDE_DOMAIN = /\.(?:local|localhost|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/** In every notation that some resolver would take for an address: 127.1, 0x7f000001, 0177.0.0.1, 2130706433. */
export function parseAddress(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.parse(text) : null;
}

/** An address or CIDR as an operator writes it: in the plain notation only, for "010.0.0.1" is more likely a slip. */
export function parseRange(text: string): Range | null {
  const { IPv4, IPv6 } = ipaddr;
  if (IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text)) return unmapped(...ipaddr.parseCIDR(text));
  if (IPv4.isValidFourPartDecimal(text)) return [IPv4.parse(text), 32];
  return IPv6.isValid(text) ? unmapped(IPv6.parse(text), 128) : null;
}

/** In what forms an address has to be judged. */
export interface AddressForms {
  /** Ways to write where the call goes. */
  same: readonly Address[];
  /** Where a router on the way might take it instead, if it knows such tunnels. Hardly any does: this opens nothing. */
  carried: readonly Address[];
}

export function addressForms(address: Address): AddressForms {
  if (!(address instanceof ipaddr.IPv6)) return { same: [address], carried: [] };
  // ::ffff:a.b.c.d is only another way to write a.b.c.d: the kernel dials IPv4.
  if (address.isIPv4MappedAddress()) return { same: [address.toIPv4Address()], carried: [] };
  if (address.match(NAT64)) return { same: [address, lastFourBytes(address)], carried: [] };
  return { same: [address], carried: isIsatap(address) ? [lastFourBytes(address)] : [] };
}

/** Not to be called unless the operator says so. */
export function isSpecial(address: Address): boolean {
  if (!(address instanceof ipaddr.IPv6)) return address.range() !== "unicast" || address.match(AZURE_WIRE_SERVER, 32);
  return !address.match(NAT64) && (address.range() !== "unicast" || !address.match(GLOBAL_UNICAST));
}

/** Names that the public DNS does not give out: without a dot, or below a domain that is for private use (RFC 6762, 8375). */
export function isInsideName(host: string): boolean {
  return !host.includes(".") || INSIDE_DOMAIN.test(host);
}

function unmapped(address: Address, bits: number): Range {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
    ? [address.toIPv4Address(), bits - 96]
    : [address, bits];
}

/** ISATAP puts 0000:5efe or 0200:5efe before the IPv4 address, under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return (address.parts[4]! & 0xfdff) === 0 && address.parts[5] === 0x5efe;
}

function lastFourBytes(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}
