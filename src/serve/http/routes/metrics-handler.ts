/** `/metrics` on the service's own port, for callers that present `metrics.token`, which is no token of a user. */
import { readBearer } from '../../../access/tokens/bearer.js';
import { ServiceError } from '../../../base/errors.js';
import { fieldValue } from '../../../base/headers.js';
import type { HttpRequest } from '../transport/http-request.js';
import { MetricsToken } from './metrics-token.js';
import type { RequestTable } from '../transport/request-table.js';
import { TYPED } from '../transport/response-head.js';
import type { RouteSource } from '../transport/route.js';
import type { SupervisedScrapes } from '../transport/supervised.js';

/** Longest Accept header that is passed on, characters: Prometheus sends 300. */
const LONGEST_ACCEPT = 1_024;

export function metricsSource(
  token: string,
  requests: RequestTable,
  scrapes: Pick<SupervisedScrapes, 'request'>,
): RouteSource {
  const expected = new MetricsToken(token);
  const handle = (request: HttpRequest): void => {
    const given = readBearer(request.authorization);
    if (!expected.matches(given)) throw new ServiceError('invalid_token');
    if (!requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const accept = fieldValue(request.headers, 'accept').slice(0, LONGEST_ACCEPT);
    requests.whenDone(request, scrapes.request(accept), ({ contentType, body }) => {
      request.response.addHeader('Content-Type', contentType);
      requests.respond(request, 200, TYPED, body);
    });
  };
  return { routes: { '/metrics': { token: 'ignored', handle } } };
}
