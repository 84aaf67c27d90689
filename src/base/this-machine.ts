/**
 * What is this machine and no other: where the service listens, what a request names as its host or as its page, and where
 * its clients send to. 0.0.0.0 and :: are not: they stand for all addresses, which other machines reach.
 */
import { BlockList, isIP } from 'node:net';
import { ServiceError } from './errors.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * isThisMachine tells whether a host is `localhost` or a loopback address, IPv6 in any spelling and with or without
 * brackets. It refuses `localhost.` and names below `localhost`: what they lead to depends on the resolver (RFC 6761 asks it
 * for a loopback address, not all comply), and a wrong answer would open the service to other machines and their pages.
 */
export function isThisMachine(host: string): boolean {
  const address = host.replace(/^\[(.+)\]$/, '$1');
  const version = isIP(address);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** isCleartext tells whether others may read on the way what is sent to a URL: over plain HTTP, to another machine. */
export function isCleartext({ protocol, hostname }: URL): boolean {
  // Names below localhost count here: where a resolver is wrong about one, only a warning is missing.
  const name = hostname.replace(/\.$/, '');
  return protocol === 'http:' && !name.endsWith('.localhost') && !isThisMachine(name);
}

/** A host with or without a port, in headers; an IPv6 address is in brackets. */
const NAME = String.raw`(localhost|[\d.]+|\[[\da-f.]*:[\da-f:.]*\])(?::\d{1,5})?`;
const HOST = new RegExp(`^${NAME}$`, 'i');
const ORIGIN = new RegExp(`^https?://${NAME}$`, 'i');

/** isLocalPage tells whether an Origin header names a page that this machine serves itself. */
export function isLocalPage(origin: string): boolean {
  return isThisMachine(ORIGIN.exec(origin)?.[1] ?? '');
}

const FOREIGN_PAGE = 'in development mode only web pages of this machine may send requests';

/**
 * refusalOf gives the error for a request that development mode does not serve, by its headers, each empty when there is
 * none. A name of another domain that resolves to this machine (DNS rebinding) would otherwise let any web page read the
 * errors, which show the SQL of scripts. No header that a proxy sets is considered.
 */
export function refusalOf(
  headers: Readonly<Record<'host' | 'origin', string>>,
): ServiceError | undefined {
  const { host, origin } = headers;
  if (!isThisMachine(HOST.exec(host)?.[1] ?? '')) return new ServiceError('misdirected_request');
  if (origin === '' || isLocalPage(origin)) return undefined;
  return new ServiceError('permission_denied', FOREIGN_PAGE);
}
