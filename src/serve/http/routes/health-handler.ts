/** `/_health` and `/_ready`: the results of the last probe of each database, served even while the queue is full. */
import { JSON_BODY } from '../../../messages/batch.js';
import type { DatabaseHealth } from '../../pool/database-health.js';
import type { ProofBook } from '../../../messages/proof-book.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RequestTable } from '../transport/request-table.js';
import type { Route, RouteSource } from '../transport/route.js';

export class HealthHandler implements RouteSource {
  readonly routes: Readonly<Record<string, Route>>;
  readonly #requests: RequestTable;
  readonly #health: DatabaseHealth;

  constructor(
    { worker, ready, readyProof }: HttpSettings,
    requests: RequestTable,
    health: DatabaseHealth,
    proofs: ProofBook,
  ) {
    this.#requests = requests;
    this.#health = health;
    const rules = { token: 'ignored', exempt: true } as const;
    this.routes = {
      // 503 while the default database does not answer.
      '/_health': {
        ...rules,
        handle: (one) => this.#respond(one, [worker.defaultAlias], true),
      },
      // 503 while a configured database does not answer, until the first proof if configured, and during shutdown.
      '/_ready': {
        ...rules,
        handle: (one) => {
          const proof = readyProof ? { proof: proofs.complete ? 'complete' : 'running' } : {};
          this.#respond(one, ready, !requests.closing && (!readyProof || proofs.complete), proof);
        },
      },
    };
  }

  /** `more` are further members of the body. */
  #respond(request: HttpRequest, required: readonly string[], ready: boolean, more = {}): void {
    if (!this.#requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const { states, readOnly } = this.#health;
    const up = ready && required.every((alias) => states.get(alias) === true);
    const databases = Object.fromEntries(
      Array.from(states, ([alias, answers]) => [
        alias,
        readOnly.has(alias) ? 'read-only' : answers ? 'up' : 'down',
      ]),
    );
    const body = JSON.stringify({ status: up ? 'up' : 'down', databases, ...more });
    this.#requests.respond(request, up ? 200 : 503, JSON_BODY, body);
  }
}
