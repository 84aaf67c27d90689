/**
 * Which requests development mode serves: those that name this machine as their host, from no web page or one of this
 * machine. A name of another domain that resolves to this machine (DNS rebinding) would otherwise let any web page read the
 * errors, which show the SQL of scripts. No header that a proxy sets is considered.
 */
import { ServiceError } from './errors.js';

const NAME = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?`;
const HOST = new RegExp(`^${NAME}$`, 'i');
const ORIGIN = new RegExp(`^https?://${NAME}$`, 'i');

const FOREIGN_PAGE = 'in development mode only web pages of this machine may send requests';

/** refusalOf gives the error for a request with these headers, each empty when there is none; undefined when it is served. */
export function refusalOf({
  host,
  origin,
}: {
  readonly host: string;
  readonly origin: string;
}): ServiceError | undefined {
  if (!HOST.test(host)) return new ServiceError('misdirected_request');
  if (origin !== '' && !ORIGIN.test(origin))
    return new ServiceError('permission_denied', FOREIGN_PAGE);
  return undefined;
}
