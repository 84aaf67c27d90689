/**
 * The registry of scripts as a task of a worker. Every failure becomes a response. The log has who changed which script,
 * and why the database failed; never a script's text.
 */
import { errorBody, ServiceError, SQL_FAILED } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { StatementFailure, type ServiceDatabase } from '../../postgres/statement/queryable.js';
import { failureLevel } from '../../postgres/statement/sql-failure.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import type { RegistryResponse, RegistryRequest } from '../../messages/tasks.js';
import { Records } from '../../stored/registry/records.js';
import { Registry, type Change } from '../../stored/registry/registry.js';
import { ScriptProofs } from '../../stored/registry/script-proofs.js';
import { TemplateRejected } from '../../stored/registry/template-check.js';
import { UncertainWrite } from '../../stored/registry/uncertain-write.js';
import type { RoutedScript } from '../../script/scripts.js';

type Settings = Pick<
  WorkerSettings,
  'scriptsTable' | 'defaultAlias' | 'aggregate' | 'maxResult' | 'proofBudget' | 'role' | 'debug'
>;

/** RegistryTasks answers requests to the registry; without a table of scripts they are 404. */
export class RegistryTasks {
  readonly #registry: Registry | undefined;
  readonly #log: Logger;
  readonly #debug: boolean;

  /**
   * `refresh` is called after a change, so that this worker has read it before the response is sent; `routed` lists the
   * stored scripts with paths of their own.
   */
  constructor(
    settings: Settings,
    databases: ReadonlyMap<string, ServiceDatabase>,
    log: Logger,
    refresh: () => Promise<void>,
    routed: () => Promise<readonly RoutedScript[]>,
  ) {
    const { scriptsTable, defaultAlias, debug } = settings;
    this.#log = log;
    this.#debug = debug;
    if (scriptsTable === undefined) return;
    const database = databases.get(defaultAlias)!;
    // Alone: a change may wait for the lock of another one of the same script.
    const records = new Records(scriptsTable, database.dedicated);
    this.#registry = new Registry(
      records,
      databases,
      defaultAlias,
      new ScriptProofs(settings),
      routed,
      (change) => this.#changed(change, refresh),
    );
  }

  async respond(request: RegistryRequest): Promise<RegistryResponse> {
    try {
      if (this.#registry === undefined) throw new ServiceError('not_found');
      return await this.#registry.respond(request);
    } catch (error) {
      if (error instanceof ServiceError) return rejection(error);
      if (error instanceof TemplateRejected) {
        const { message, code, place, findings } = error;
        const proved = findings.length === 0 ? {} : { findings };
        return failure(400, message, code, { ...place, ...proved });
      }
      if (error instanceof UncertainWrite) return this.#failed(request, error.cause, error);
      if (error instanceof StatementFailure) return this.#failed(request, error);
      const { requestId } = request;
      this.#log.error({ requestId, err: error }, 'a request to the registry failed');
      return rejection(new ServiceError('internal'));
    }
  }

  async #changed(
    { key, what, user, requestId, warnings }: Change,
    refresh: () => Promise<void>,
  ): Promise<void> {
    const { database, location, name } = key;
    const script = `${location}/${name}`;
    this.#log.info({ requestId, user, database, script }, `a stored script was ${what}`);
    for (const warning of warnings) this.#log.warn({ requestId, user, database, script }, warning);
    try {
      await refresh();
    } catch (error) {
      // It is stored all the same, and this worker reads it with its next poll.
      const fields = { requestId, err: error };
      this.#log.warn(fields, 'a change of a stored script was not read by this worker yet');
    }
  }

  /** A statement failed: in the database, with its connection, or at a limit of the service. */
  #failed(
    { requestId, user }: RegistryRequest,
    { state, status, reason }: StatementFailure,
    uncertain?: UncertainWrite,
  ): RegistryResponse {
    const fields = { requestId, user, state };
    const own = /^[a-z_]+$/.test(state); // an error code, not an SQLSTATE: its reason is public
    this.#log[own ? 'warn' : failureLevel({ state })](fields, `the registry: ${reason}`);
    const message = uncertain?.message ?? (own ? reason : SQL_FAILED);
    const code = state === '57014' ? 'timeout' : state;
    const response = failure(status, message, code, this.#debug && !own ? { message: reason } : {});
    return uncertain === undefined ? response : { ...response, final: true };
  }
}

function failure(status: number, error: string, code: string, more: object): RegistryResponse {
  return { status, body: JSON.stringify({ error, code, ...more }), headers: [] };
}

function rejection({ status, message, code, allow, members }: ServiceError): RegistryResponse {
  const headers: RegistryResponse['headers'] = allow === undefined ? [] : [['Allow', allow]];
  return { status, body: errorBody(message, code, false, members), headers };
}
