/**
 * The address that a request comes from. X-Forwarded-For is read from its end, because each proxy appends an entry, and only
 * as far as trusted proxies wrote it. An entry that is not an address ends the search.
 */
import { BlockList, isIP } from 'node:net';

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

  /** of returns the address of the client: that of the socket, unless a trusted proxy forwarded the request. */
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
  return `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/** plainAddress removes port, brackets and zone, and maps IPv4 in IPv6 to IPv4; undefined for anything else. */
function plainAddress(text: string): string | undefined {
  const address = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const family = isIP(address);
  if (family === 0) return undefined;
  if (family === 4) return address;
  const whole = address.replace(/%.*$/, '');
  const groups = groupsOf(whole);
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return whole;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
