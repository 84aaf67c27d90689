/**
 * The address that a request comes from. X-Forwarded-For is read from its end, because each proxy appends an entry, and only
 * as far as trusted proxies wrote it. An entry that is not an address ends the search.
 */
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** ClientAddress finds the address of a client behind trusted proxies. */
export class ClientAddress {
  readonly #trusted = new BlockList();

  /** `trustedProxies` are addresses and networks (10.0.0.0/8), checked by the configuration. */
  constructor(trustedProxies: readonly string[]) {
    for (const entry of trustedProxies) {
      const [address = '', prefix] = entry.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) {
        const plain = plainAddress(address)!;
        this.#trusted.addAddress(plain, familyOf(plain));
      } else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /** of returns the client's address: the socket's, unless a trusted proxy forwarded the request. */
  of(socket: string, forwardedFor: string): string {
    let address = plainAddress(socket);
    if (address === undefined) return socket;
    const entries = forwardedFor.split(',');
    while (this.#trusted.check(address, familyOf(address))) {
      const before = plainAddress(entries.pop()?.trim() ?? '');
      if (before === undefined) break;
      address = before;
    }
    return address;
  }
}

/** addressKey is the key for counting attempts by address: an IPv6 client can use any address of its /64 network. */
export function addressKey(address: string): string {
  const plain = plainAddress(address);
  if (plain === undefined || isIP(plain) === 4) return plain ?? address;
  const network = ipaddr.IPv6.parse(plain).parts.slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** plainAddress removes port, brackets and zone, and maps IPv4 in IPv6 to IPv4; undefined for anything else. */
function plainAddress(text: string): string | undefined {
  const address = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  // ipaddr.js also reads octal and shortened addresses.
  if (isIP(address) === 0) return undefined;
  return ipaddr.process(address.replace(/%.*$/, '')).toString();
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
