import ipaddr from "ipaddr.js";

/** The client's address. A proxy that is believed may still pass on what is none; then it is the proxy's own. */
export function addressOf({ ip, socket }: { ip: string; socket: { remoteAddress?: string | undefined } }): string {
  return ipaddr.isValid(ip) ? ip : (socket.remoteAddress ?? "");
}

/** Whom an address stands for where addresses are counted: one IPv6 customer has a whole /64 to choose from. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
