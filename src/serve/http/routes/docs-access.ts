/**
 * `/_docs/access`: what the page may show its user besides an OpenAPI document: the databases whose scripts they may run, and
 * whether they may see the SQL of those.
 */
import type { Caller } from '../../../access/caller.js';
import { JSON_BODY } from '../../../messages/batch.js';
import type { QueryPool } from '../../pool/query-pool.js';
import type { Gate } from '../transport/gate.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RequestTable } from '../transport/request-table.js';
import { setPrivate } from '../transport/response-head.js';
import type { Route, RouteSource } from '../transport/route.js';
import type { SqlHandler } from './sql-handler.js';

export class DocsAccess implements RouteSource {
  /** By path, without the context. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly #requests: RequestTable;
  readonly #pool: QueryPool;
  readonly #gate: Gate;
  readonly #sql: SqlHandler | undefined;

  /** Without `sql`, SQL is shown to no caller. */
  constructor(requests: RequestTable, pool: QueryPool, gate: Gate, sql: SqlHandler | undefined) {
    this.#requests = requests;
    this.#pool = pool;
    this.#gate = gate;
    this.#sql = sql;
    this.routes = {
      '/_docs/access': {
        token: 'optional',
        handle: (request, caller) => this.#handle(request, caller),
      },
    };
  }

  #handle(request: HttpRequest, caller: Caller | undefined): void {
    setPrivate(request.response);
    if (!this.#requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const sql = this.#sql?.shows(caller) ?? false;
    const databases = this.#pool.ask('databases', this.#gate.readerOf(caller));
    this.#requests.whenDone(request, databases, (all) => {
      const [main] = all;
      const body = JSON.stringify({ default: main, databases: all, sql });
      this.#requests.respond(request, 200, JSON_BODY, body);
    });
  }
}
