/** `/_health` and `/_ready`: the results of the last probe of each database, served even while the queue is full. */
import { JSON_BODY } from '../../../messages/batch.js';
import type { HandlerParts } from './handler-parts.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RouteSource } from '../transport/route.js';

export function healthSource({ settings, requests, health, pool }: HandlerParts): RouteSource {
  const { worker, ready, readyProof } = settings;
  const { proofs } = pool;
  const rules = { token: 'ignored', exempt: true } as const;
  /** `more` are further members of the body. */
  const respond = (
    request: HttpRequest,
    required: readonly string[],
    ready: boolean,
    more = {},
  ): void => {
    if (!requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const { states, readOnly } = health;
    const up = ready && required.every((alias) => states.get(alias) === true);
    const databases = Object.fromEntries(
      Array.from(states, ([alias, answers]) => [
        alias,
        readOnly.has(alias) ? 'read-only' : answers ? 'up' : 'down',
      ]),
    );
    const body = JSON.stringify({ status: up ? 'up' : 'down', databases, ...more });
    requests.respond(request, up ? 200 : 503, JSON_BODY, body);
  };
  return {
    routes: {
      // 503 while the default database does not answer.
      '/_health': { ...rules, handle: (one) => respond(one, [worker.defaultAlias], true) },
      // 503 while a configured database does not answer, until the first proof if configured, and during shutdown.
      '/_ready': {
        ...rules,
        handle: (one) => {
          const proof = readyProof ? { proof: proofs.complete ? 'complete' : 'running' } : {};
          respond(one, ready, !requests.closing && (!readyProof || proofs.complete), proof);
        },
      },
    },
  };
}
