/**
 * `/_QUERIES/registry`: passes requests of the registrars named in the configuration to a worker. Rejects all others
 * before anything depends on whether a script exists.
 */
import { FINAL, JSON_BODY, NO_BODY } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import type { HandlerParts } from './handler-parts.js';
import type { RegistryPath } from '../transport/path.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { BodyRule, Route, RouteSource } from '../transport/route.js';

/** Largest body (bytes), where `http.max_body` is not less. */
const REGISTRY_BODY = 1 << 20;

/** What its requests are counted under. */
const NAME = new RouteMetrics('/_QUERIES/registry');

const LIST_METHODS = ['GET', 'HEAD', 'POST'];
const SCRIPT_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/**
 * registrySource serves the registry; a token is required even where `jwt.whitelist` matches the path. Its routes throw
 * ServiceError: `token_missing`, `registration_denied`, `unknown_database`, `busy`.
 */
export function registrySource({
  settings,
  requests,
  pool,
  gate,
  budget,
}: HandlerParts): RouteSource {
  const { context, maxBody, worker } = settings;
  const aliases = new Set(worker.databases.map(({ alias }) => alias));
  const rule: BodyRule = {
    methods: ['POST', 'PUT'],
    limit: Math.min(maxBody, REGISTRY_BODY),
    keep: (caller) => gate.isRegistrar(caller),
  };
  const registry = ({ alias, script }: RegistryPath): Route => ({
    token: 'required',
    name: NAME,
    body: rule,
    handle: (request, caller) => {
      if (caller === undefined) throw new ServiceError('token_missing');
      if (!gate.isRegistrar(caller)) throw new ServiceError('registration_denied');
      if (alias !== undefined && !aliases.has(alias))
        throw new ServiceError('unknown_database', `database not registered: ${alias}`);
      const methods = script === undefined ? LIST_METHODS : SCRIPT_METHODS;
      if (!requests.allowsMethod(request, methods)) return;
      const { method, query, requestId, ifMatch, ifNoneMatch, body } = request;
      const size = body?.byteLength ?? 0;
      // Counted a second time: the worker has a copy for as long as it takes, even if the client disconnects.
      if (!budget.reserve(size, true)) throw new ServiceError('busy');
      const response = pool
        .ask('registry', {
          method,
          database: alias,
          script,
          query,
          body: body && new Uint8Array(body), // a Buffer may be part of a larger one, all of which would be sent
          ifMatch,
          ifNoneMatch,
          user: caller.name,
          requestId,
        })
        .finally(() => budget.release(size));
      requests.whenDone(request, response, ({ status, body, headers, final }) => {
        for (const [name, value] of headers)
          request.response.addHeader(name, name === 'Location' ? context + value : value);
        const type = (body === '' ? NO_BODY : JSON_BODY) + (final ? FINAL : 0);
        requests.respond(request, status, type, body);
      });
    },
  });
  return { named: { registry } };
}
