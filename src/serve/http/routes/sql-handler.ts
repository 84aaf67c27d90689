/**
 * `/_docs/sql` in front of the path of a call, with the same method, parameters, headers and body: passes it to a worker that
 * renders the script and does not run it. For callers who may run the script and, unless the configuration has `debug`, use
 * the registry, which shows them the texts of scripts anyway. All others are refused before anything depends on what exists.
 */
import type { Caller } from '../../../access/caller.js';
import { SQL } from '../../../messages/batch.js';
import { ServiceError } from '../../../base/errors.js';
import type { Gate } from '../transport/gate.js';
import type { DeclaredPath, ScriptPath, SqlPath } from '../transport/path.js';
import type { QueryHandler } from './query-handler.js';
import { setPrivate } from '../transport/response-head.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { BodyRule, Route, RouteSource } from '../transport/route.js';

/** What its requests are counted under. */
const NAME = new RouteMetrics('/_docs/sql');

export class SqlHandler implements RouteSource {
  readonly #queries: QueryHandler;
  readonly #gate: Gate;
  readonly #debug: boolean;

  /** `queries` serves the calls; `debug` shows the SQL to every caller who may run the script. */
  constructor(queries: QueryHandler, gate: Gate, debug: boolean) {
    this.#queries = queries;
    this.#gate = gate;
    this.#debug = debug;
  }

  /** shows tells whether a caller may see the SQL of the scripts that they may run. */
  shows(caller: Caller | undefined): boolean {
    return this.#debug || this.#gate.isRegistrar(caller);
  }

  /** The routes throw ServiceError: `permission_denied`, and what the call throws. */
  readonly named = { sql: ({ call }: SqlPath): Route => this.#route(call) };

  #route(call: ScriptPath | DeclaredPath): Route {
    const { token, body, handle } =
      call.kind === 'script' ? this.#queries.script(call, SQL) : this.#queries.declared(call, SQL);
    return {
      name: NAME,
      token: this.#debug ? token : 'required',
      ...(body && { body: this.#bodyRule(body) }),
      handle: (request, caller) => {
        setPrivate(request.response);
        if (!this.shows(caller)) throw new ServiceError('permission_denied');
        handle(request, caller);
      },
    };
  }

  #bodyRule(rule: BodyRule): BodyRule {
    const { keep } = rule;
    return {
      ...rule,
      keep: (caller, request) =>
        this.shows(caller) && (typeof keep === 'boolean' ? keep : keep(caller, request)),
    };
  }
}
