/**
 * What a front end asks of a worker about stored scripts. Nothing is thrown: whatever comes of a request is an answer.
 * The log has who changed what, and why the database failed; never a script's text.
 */
import { errorBody, ServiceError, SQL_FAILED } from '../errors.js';
import type { Logger } from '../log.js';
import { StatementFailure } from '../pg/asked.js';
import type { Database } from '../pg/database.js';
import type { RegistryAnswer, RegistryRequest, WorkerSettings } from '../protocol.js';
import { Records } from '../registry/records.js';
import { Registry, UncertainWrite, type Change } from '../registry/registry.js';
import { TemplateRefused } from '../registry/template-check.js';
import { jsonFrame, StatementBuilder } from '../script/statement.js';

type Settings = Pick<
  WorkerSettings,
  'scriptsTable' | 'defaultAlias' | 'aggregate' | 'maxResult' | 'debug'
>;

/** RegistryTasks answers requests to the registry; without a table of scripts it refuses them. */
export class RegistryTasks {
  readonly #registry: Registry | undefined;
  readonly #log: Logger;
  readonly #debug: boolean;

  /** `databases` are by alias. `refresh` is called after a change, so that this worker knows it before it is answered. */
  constructor(
    settings: Settings,
    databases: ReadonlyMap<string, Database>,
    log: Logger,
    refresh: () => Promise<void>,
  ) {
    const { scriptsTable, defaultAlias, aggregate, maxResult, debug } = settings;
    this.#log = log;
    this.#debug = debug;
    if (scriptsTable === undefined) return;
    const database = databases.get(defaultAlias)!;
    // A change may wait for another one of the same script.
    const asked = { ask: database.askAlone.bind(database) };
    this.#registry = new Registry({
      records: new Records(scriptsTable, asked),
      databases,
      defaultAlias,
      statements: new StatementBuilder(jsonFrame(aggregate, maxResult)),
      changed: (change) => this.#changed(change, refresh),
    });
  }

  /** answer answers a request, whatever comes of it. */
  async answer(request: RegistryRequest): Promise<RegistryAnswer> {
    try {
      if (this.#registry === undefined) throw new ServiceError('not_found');
      return await this.#registry.answer(request);
    } catch (error) {
      if (error instanceof ServiceError) return refusal(error);
      if (error instanceof TemplateRefused) {
        const { message, code, place } = error;
        return failed(400, message, code, { ...place });
      }
      if (error instanceof UncertainWrite) return this.#unanswered(request, error.cause, error);
      if (error instanceof StatementFailure) return this.#unanswered(request, error);
      const { requestId } = request;
      this.#log.error({ requestId, err: error }, 'a request to the registry failed');
      return refusal(new ServiceError('internal'));
    }
  }

  async #changed(
    { key, what, user, requestId }: Change,
    refresh: () => Promise<void>,
  ): Promise<void> {
    const { database, location, name } = key;
    const script = `${location}/${name}`;
    this.#log.info({ requestId, user, database, script }, `a stored script was ${what}`);
    try {
      await refresh();
    } catch (error) {
      // It is stored all the same, and this worker hears of it as the others do.
      this.#log.warn(
        { requestId, err: error },
        'a change of a stored script is not known here yet',
      );
    }
  }

  /** The database failed: it, or the connection to it, or our own bounds. */
  #unanswered(
    { requestId, user }: RegistryRequest,
    { state, status, reason }: StatementFailure,
    uncertain?: UncertainWrite,
  ): RegistryAnswer {
    const fields = { requestId, user, state };
    if (status >= 503) this.#log.error(fields, `the registry: ${reason}`);
    else this.#log.warn(fields, `the registry: ${reason}`);
    const own = /^[a-z_]+$/.test(state); // a word of ours, and no SQLSTATE: its reason is for everybody
    const message = uncertain?.message ?? (own ? reason : SQL_FAILED);
    const code = state === '57014' ? 'timeout' : state;
    return failed(status, message, code, this.#debug && !own ? { message: reason } : {});
  }
}

function failed(status: number, error: string, code: string, more: object): RegistryAnswer {
  return { status, body: JSON.stringify({ error, code, ...more }), headers: [] };
}

function refusal({ status, message, code, allow }: ServiceError): RegistryAnswer {
  const headers: RegistryAnswer['headers'] = allow === undefined ? [] : [['Allow', allow]];
  return { status, body: errorBody(message, code, false), headers };
}
