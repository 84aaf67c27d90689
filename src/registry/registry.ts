/**
 * What requests to the registry of scripts do: list, read, store and remove records, their versions, and what is told of
 * each. Whoever gets here may do that. Refuses names that no path could ask for, templates that are none, databases that
 * are not configured, and changes whose condition does not hold.
 */
import { ServiceError } from '../errors.js';
import { StatementFailure } from '../pg/asked.js';
import type { RegistryAnswer, RegistryRequest } from '../protocol.js';
import type { StatementBuilder } from '../script/statement.js';
import { isIdentifier } from '../script/verb.js';
import { etagOf, isMet, readCondition } from './entity-tag.js';
import { recordJson, versionJson } from './record-json.js';
import { readRecordBody } from './record-schema.js';
import type { Condition, RecordContent, Records, StoredRecord } from './records.js';
import { readRegistryQuery, type RegistryQuery } from './registry-query.js';
import { REGISTRY, type ScriptKey } from './scripts-table.js';
import {
  compileTexts,
  parseRendered,
  type ParsingDatabase,
  type Templates,
} from './template-check.js';

/** What a registry works with. */
export interface RegistryParts {
  readonly records: Records;
  /** By alias; those that are configured. */
  readonly databases: ReadonlyMap<string, ParsingDatabase>;
  readonly defaultAlias: string;
  readonly statements: StatementBuilder;
  /** Told of every change, before it is answered. */
  readonly changed: (change: Change) => Promise<void>;
}

/** A change of a stored script. */
export interface Change {
  readonly key: ScriptKey;
  readonly what: 'created' | 'updated' | 'removed';
  readonly user: string;
  readonly requestId: string;
}

/** UncertainWrite is a change of which nobody knows whether it was made: the connection was lost over it. */
export class UncertainWrite extends Error {
  override readonly name = 'UncertainWrite';
  override readonly cause: StatementFailure;

  constructor(cause: StatementFailure) {
    super('the connection to the database was lost: it is not known whether the change was made');
    this.cause = cause;
  }
}

const VALID = '{"valid":true}';

/** Registry answers requests. */
export class Registry {
  readonly #parts: RegistryParts;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  /**
   * answer does what a request asks for. Rejects with ServiceError, TemplateRefused, UncertainWrite, or StatementFailure
   * when the database fails.
   */
  async answer(request: RegistryRequest): Promise<RegistryAnswer> {
    const { method, script } = request;
    const query = readRegistryQuery(request);
    const reads = method === 'GET' || method === 'HEAD';
    const database = this.#scope(request, query.database, reads && script === undefined);
    if (reads && script === undefined) return this.#list(database, query);
    const condition = readCondition(request.ifMatch, request.ifNoneMatch);
    if (script === undefined) {
      const body = await readRecordBody(request.body);
      const location = body.location ?? '';
      const key = { database: database ?? body.database ?? '', location, name: body.name ?? '' };
      agree('database', body.database, key.database);
      return this.#store(request, key, body.content, query, condition);
    }
    const key = { database: database ?? '', ...script };
    switch (method) {
      case 'GET':
      case 'HEAD':
        return query.history ? this.#history(key, query) : this.#read(key, query, condition);
      case 'PUT': {
        const body = await readRecordBody(request.body);
        for (const name of ['database', 'location', 'name'] as const)
          agree(name, body[name], key[name]);
        return this.#store(request, key, body.content, query, condition);
      }
      case 'POST':
        return this.#rollBack(request, key, query, condition);
      case 'DELETE':
        return this.#remove(request, key, condition);
      default:
        throw new ServiceError('method_not_allowed');
    }
  }

  /** The alias that a request is about, of its path or its query string; as a filter it may be any text. */
  #scope(
    { database: path }: RegistryRequest,
    parameter: string | undefined,
    filters: boolean,
  ): string | undefined {
    if (path !== undefined && parameter !== undefined && path !== parameter)
      throw new ServiceError(
        'invalid_query_string',
        `invalid query string: database ${quoted(parameter)} differs from ${quoted(path)} in the path`,
      );
    if (path !== undefined) this.#checkAlias(path);
    else if (parameter !== undefined && !filters) this.#checkAlias(parameter);
    return path ?? parameter;
  }

  #checkAlias(alias: string): void {
    if (alias === '') return;
    if (!isIdentifier(alias)) throw invalidRecord(`invalid database ${quoted(alias)}`);
    if (!this.#parts.databases.has(alias))
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
  }

  async #list(
    database: string | undefined,
    { location, page }: RegistryQuery,
  ): Promise<RegistryAnswer> {
    const records = await this.#parts.records.list({ database, location, page });
    return { status: 200, body: `[${records.map(recordJson).join(',')}]`, headers: [] };
  }

  async #read(
    key: ScriptKey,
    query: RegistryQuery,
    condition: Condition | undefined,
  ): Promise<RegistryAnswer> {
    const { records } = this.#parts;
    // As a request for the script itself finds it.
    const record =
      (await records.get(key)) ??
      (key.database === '' ? undefined : await records.get({ ...key, database: '' }));
    if (record === undefined) throw new ServiceError('query_not_found');
    const { match, noneMatch } = condition ?? {};
    if (match !== undefined && !isMet(match, record)) throw new ServiceError('precondition_failed');
    if (noneMatch !== undefined && isMet(noneMatch, record))
      return { status: 304, body: '', headers: [['ETag', etagOf(record)]] };
    if (query.validate === 'no') return recordAnswer(200, record);
    await this.#parse(key, compileTexts(pathOf(key), record), query);
    return { status: 200, body: VALID, headers: [] };
  }

  async #history(key: ScriptKey, { page }: RegistryQuery): Promise<RegistryAnswer> {
    const { records } = this.#parts;
    const versions = await records.history(key, page);
    if (versions === undefined) throw historyMissing();
    if (versions.length === 0 && (await records.get(key)) === undefined)
      throw new ServiceError('query_not_found');
    return { status: 200, body: `[${versions.map(versionJson).join(',')}]`, headers: [] };
  }

  async #rollBack(
    request: RegistryRequest,
    key: ScriptKey,
    query: RegistryQuery,
    condition: Condition | undefined,
  ): Promise<RegistryAnswer> {
    const { rollback } = query;
    if (rollback === undefined)
      throw new ServiceError(
        'method_not_allowed',
        'POST to a script needs ?rollback=VERSION; PUT stores it',
        { allow: 'GET, HEAD, PUT, DELETE, OPTIONS' },
      );
    if ((request.body?.byteLength ?? 0) > 0) throw invalidRecord('a rollback takes no body');
    const { records } = this.#parts;
    const version = await records.version(key, rollback);
    if (version === undefined) throw historyMissing();
    if (version === 'missing') throw new ServiceError('version_not_found');
    return this.#store(request, key, version, query, condition);
  }

  /** Stores a record's whole content. */
  async #store(
    request: RegistryRequest,
    key: ScriptKey,
    content: RecordContent,
    query: RegistryQuery,
    condition: Condition | undefined,
  ): Promise<RegistryAnswer> {
    const { user, requestId, script } = request;
    const { location, name, database } = key;
    if (!isIdentifier(location) || location === REGISTRY)
      throw invalidRecord(`invalid location ${quoted(location)}`);
    if (!isIdentifier(name)) throw invalidRecord(`invalid name ${quoted(name)}`);
    this.#checkAlias(database);
    const templates = compileTexts(pathOf(key), content);
    if (templates.size === 0) throw invalidRecord('at least one verb SQL column is required');
    if (query.validate !== 'no') await this.#parse(key, templates, query);
    if (query.validate === 'only') return { status: 200, body: VALID, headers: [] };
    const stored = await writing(this.#parts.records.put(key, content, user, condition));
    if (stored === 'mismatch') throw mismatch(condition);
    const { record, created } = stored;
    await this.#parts.changed({ key, what: created ? 'created' : 'updated', user, requestId });
    // Where no script is named, it is new to whoever sends it.
    return recordAnswer(created || script === undefined ? 201 : 200, record);
  }

  async #remove(
    { user, requestId }: RegistryRequest,
    key: ScriptKey,
    condition: Condition | undefined,
  ): Promise<RegistryAnswer> {
    const removed = await writing(this.#parts.records.remove(key, user, condition));
    if (removed === 'missing') throw new ServiceError('query_not_found');
    if (removed === 'mismatch') throw mismatch(condition);
    await this.#parts.changed({ key, what: 'removed', user, requestId });
    return { status: 204, body: '', headers: [] };
  }

  #parse(key: ScriptKey, templates: Templates, { samples }: RegistryQuery): Promise<void> {
    const { databases, defaultAlias, statements } = this.#parts;
    const alias = key.database === '' ? defaultAlias : key.database;
    return parseRendered(pathOf(key), templates, samples, statements, databases.get(alias)!);
  }
}

function recordAnswer(status: number, record: StoredRecord): RegistryAnswer {
  const headers: [string, string][] = [['ETag', etagOf(record)]];
  if (status === 201) {
    const { database, location, name } = record;
    const segments = [...(database === '' ? [] : [database]), location, name];
    const path = segments.map(encodeURIComponent).join('/');
    headers.push(['Location', `/_QUERIES/${REGISTRY}/${path}`]);
  }
  return { status, body: recordJson(record), headers };
}

/** Waits for a change. It is never tried again: it may have been made. */
async function writing<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof StatementFailure && LOST.test(error.state))
      throw new UncertainWrite(error);
    throw error;
  }
}

/** SQLSTATEs of a lost connection; 08001 and 08004 are those of one that was never there. */
const LOST = /^(?:08(?!001|004)|57P0)/;

/** Refuses a member of a body that differs from what the path says. */
function agree(member: string, sent: string | undefined, wanted: string): void {
  if (sent !== undefined && sent !== wanted)
    throw invalidRecord(
      `${member} ${quoted(sent)} in the body differs from ${quoted(wanted)} in the URL`,
    );
}

function mismatch(condition: Condition | undefined): ServiceError {
  const absent = condition?.noneMatch === '*' && condition.match === undefined;
  return new ServiceError(
    'precondition_failed',
    absent ? 'the script is there already' : undefined,
  );
}

function historyMissing(): ServiceError {
  return new ServiceError(
    'history_missing',
    'the history of scripts is not kept: run `sql-rest-service migrate up queries` as a database user who may create tables in the schema of the scripts',
  );
}

function invalidRecord(message: string): ServiceError {
  return new ServiceError('invalid_record', message);
}

/** `<folder>/<script>`, as errors name a script. */
function pathOf({ location, name }: ScriptKey): string {
  return `${location}/${name}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
