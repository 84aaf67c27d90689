/**
 * The requests to the registry of scripts: list, read, store and remove records, and their versions. Its caller has checked
 * that the user may use it. Refuses names that are invalid in paths, invalid templates, databases that are not configured,
 * and changes whose condition does not hold.
 */
import { ServiceError } from '../../base/errors.js';
import type { RegistryResponse, RegistryRequest } from '../../messages/tasks.js';
import type { ServiceDatabase } from '../../postgres/statement/queryable.js';
import { textWarnings } from '../../script/warnings/text-warnings.js';
import type { RoutedScript } from '../../script/scripts.js';
import { isIdentifier } from '../../base/identifier.js';
import { etagOf, isMet, readCondition } from './entity-tag.js';
import { checkPaths } from './path-check.js';
import { contractChanges, replacedTexts, type ContractChanges } from './contract-changes.js';
import {
  changeMembers,
  membersOf,
  proofsResponse,
  validResponse,
  type Validated,
} from './proof-response.js';
import { recordJson, recordResponse, versionJson } from './record-response.js';
import { proveRecord } from './record-proof.js';
import { readRecordBody } from './record-schema.js';
import {
  tagOf,
  type Condition,
  type RecordContent,
  type Records,
  type StoredRecord,
} from './records.js';
import { readRegistryQuery, type RegistryQuery } from './registry-query.js';
import { REGISTRY, type ScriptKey } from '../scripts/scripts-table.js';
import type { ProofTarget, ScriptProofs } from './script-proofs.js';
import { compileTexts, type Texts } from './template-check.js';
import { written } from './uncertain-write.js';

export interface Change {
  readonly key: ScriptKey;
  readonly what: 'created' | 'updated' | 'removed';
  readonly user: string;
  readonly requestId: string;
  readonly warnings: readonly string[];
}

/** A validation, and the record that was compared with; undefined for a script that is new. */
interface Compared extends Validated {
  readonly old: StoredRecord | undefined;
}

export class Registry {
  readonly #records: Records;
  readonly #databases: ReadonlyMap<string, ServiceDatabase>;
  readonly #defaultAlias: string;
  readonly #proofs: ScriptProofs;
  readonly #routed: () => Promise<readonly RoutedScript[]>;
  readonly #onChange: (change: Change) => Promise<void>;

  /** `routed` lists scripts with paths of their own; `onChange` is called after each change, before its response. */
  constructor(
    records: Records,
    databases: ReadonlyMap<string, ServiceDatabase>,
    defaultAlias: string,
    proofs: ScriptProofs,
    routed: () => Promise<readonly RoutedScript[]>,
    onChange: (change: Change) => Promise<void>,
  ) {
    this.#records = records;
    this.#databases = databases;
    this.#defaultAlias = defaultAlias;
    this.#proofs = proofs;
    this.#routed = routed;
    this.#onChange = onChange;
  }

  /**
   * respond does what a request says. Rejects with ServiceError, TemplateRejected, UncertainWrite, or StatementFailure when
   * the database fails.
   */
  async respond(request: RegistryRequest): Promise<RegistryResponse> {
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

  /** The alias in the path or the query string; as a filter of a list it may be any text. */
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
    if (!this.#databases.has(alias))
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
  }

  async #list(
    database: string | undefined,
    { location, page }: RegistryQuery,
  ): Promise<RegistryResponse> {
    const records = await this.#records.list({ database, location, page });
    return {
      status: 200,
      body: `[${records.map((record) => recordJson(record)).join(',')}]`,
      headers: [],
    };
  }

  async #read(
    key: ScriptKey,
    query: RegistryQuery,
    condition: Condition | undefined,
  ): Promise<RegistryResponse> {
    // The record that a request for the script itself would run.
    const record =
      (await this.#records.get(key)) ??
      (key.database === '' ? undefined : await this.#records.get({ ...key, database: '' }));
    if (record === undefined) throw new ServiceError('query_not_found');
    const { match, noneMatch } = condition ?? {};
    if (match !== undefined && !isMet(match, record)) throw new ServiceError('precondition_failed');
    if (query.proof)
      return proofsResponse(await proveRecord(record, this.#target(key), this.#proofs));
    if (noneMatch !== undefined && isMet(noneMatch, record))
      return { status: 304, body: '', headers: [['ETag', etagOf(record)]] };
    if (query.validate === 'no') return recordResponse(200, record);
    const target = { ...this.#target(key), texts: compileTexts(pathOf(key), record) };
    return validResponse(await this.#proofs.validate(target, query.samples));
  }

  async #history(key: ScriptKey, { page }: RegistryQuery): Promise<RegistryResponse> {
    const versions = await this.#records.history(key, page);
    if (versions === undefined) throw historyMissing();
    if (versions.length === 0 && (await this.#records.get(key)) === undefined)
      throw new ServiceError('query_not_found');
    return { status: 200, body: `[${versions.map(versionJson).join(',')}]`, headers: [] };
  }

  async #rollBack(
    request: RegistryRequest,
    key: ScriptKey,
    query: RegistryQuery,
    condition: Condition | undefined,
  ): Promise<RegistryResponse> {
    const { rollback } = query;
    if (rollback === undefined)
      throw new ServiceError(
        'method_not_allowed',
        'POST to a script needs ?rollback=VERSION; PUT stores it',
        { allow: 'GET, HEAD, PUT, DELETE, OPTIONS' },
      );
    if ((request.body?.byteLength ?? 0) > 0) throw invalidRecord('a rollback takes no body');
    const version = await this.#records.version(key, rollback);
    if (version === undefined) throw historyMissing();
    if (version === 'missing') throw new ServiceError('version_not_found');
    return this.#store(request, key, version, query, condition);
  }

  async #store(
    request: RegistryRequest,
    key: ScriptKey,
    content: RecordContent,
    query: RegistryQuery,
    condition: Condition | undefined,
  ): Promise<RegistryResponse> {
    const { user, requestId, script } = request;
    const { location, name, database } = key;
    if (!isIdentifier(location) || location === REGISTRY)
      throw invalidRecord(`invalid location ${quoted(location)}`);
    if (!isIdentifier(name)) throw invalidRecord(`invalid name ${quoted(name)}`);
    this.#checkAlias(database);
    const texts = compileTexts(pathOf(key), content);
    if (texts.size === 0) throw invalidRecord('at least one verb SQL column is required');
    await checkPaths(key, texts, this.#defaultAlias, this.#routed);
    const checked = query.validate === 'no' ? undefined : await this.#compare(key, texts, query);
    const warnings = warningsOf(texts);
    const fields = warnings.map((warning): [string, string] => [
      'Warning',
      `299 - ${quotedString(warning)}`,
    ]);
    if (query.validate === 'only') return validResponse(checked!, fields);
    const terms = query.validate === 'compatible' ? unchanged(checked!.old, condition) : condition;
    const stored = await written(this.#records.put(key, content, user, terms));
    if (stored === 'mismatch') throw mismatch(condition);
    const { record, created } = stored;
    const what = created ? 'created' : 'updated';
    await this.#onChange({ key, what, user, requestId, warnings });
    // A request whose path names no script always gets 201.
    const status = created || script === undefined ? 201 : 200;
    const more = checked && membersOf(checked);
    const { headers, ...response } = recordResponse(status, record, more);
    return { ...response, headers: [...headers, ...fields] };
  }

  async #remove(
    { user, requestId }: RegistryRequest,
    key: ScriptKey,
    condition: Condition | undefined,
  ): Promise<RegistryResponse> {
    const removed = await written(this.#records.remove(key, user, condition));
    if (removed === 'missing') throw new ServiceError('query_not_found');
    if (removed === 'mismatch') throw mismatch(condition);
    await this.#onChange({ key, what: 'removed', user, requestId, warnings: [] });
    return { status: 204, body: '', headers: [] };
  }

  /** Validates texts and compares them with the stored ones, which are `old`. Rejects with ServiceError `breaking_change`. */
  async #compare(
    key: ScriptKey,
    texts: Texts,
    { samples, validate }: RegistryQuery,
  ): Promise<Compared> {
    const old = await this.#records.get(key);
    const before = replacedTexts(pathOf(key), old, texts);
    const target = { ...this.#target(key), texts };
    const validation = await this.#proofs.validate(target, samples, before.texts);
    if (old === undefined) return { proofs: validation.proofs, old };
    const { database } = key;
    const isDefault = database === '' || database === this.#defaultAlias;
    const script = isDefault ? pathOf(key) : `${database}/${pathOf(key)}`;
    const changes = contractChanges(script, old, before, texts, validation);
    if (validate === 'compatible') requireCompatible(changes);
    return { proofs: validation.proofs, changes, old };
  }

  /** The database that a script runs on; one for all databases is proved on the default one. */
  #target(key: ScriptKey): Omit<ProofTarget, 'texts'> {
    const alias = key.database === '' ? this.#defaultAlias : key.database;
    return { script: pathOf(key), alias, database: this.#databases.get(alias)! };
  }
}

function requireCompatible(found: ContractChanges): void {
  const { changes, isCut } = found;
  const breaking = changes.filter((change) => change.breaking);
  if (breaking.length === 0 && !isCut) return;
  const message =
    breaking.length > 0
      ? `the change breaks callers: ${breaking.map(({ message }) => message).join('; ')}`
      : 'whether the change breaks callers is not known: the time for the proofs was over';
  throw new ServiceError('breaking_change', message, { members: changeMembers(found) });
}

/** The condition, and that the record is still the one that was compared with. */
function unchanged(
  old: StoredRecord | undefined,
  condition: Condition | undefined,
): Condition | undefined {
  const { match, noneMatch } = condition ?? {};
  if (old === undefined) return match === undefined ? { noneMatch: '*' } : condition;
  const holds =
    (match === undefined || isMet(match, old)) &&
    (noneMatch === undefined || !isMet(noneMatch, old));
  return holds ? { match: [tagOf(old)] } : condition;
}

function warningsOf(texts: Texts): string[] {
  const said = [...texts].flatMap(([verb, text]) =>
    textWarnings(text).map(({ line, message }) =>
      line === undefined ? message : `${verb}_sql, line ${line}: ${message}`,
    ),
  );
  return [...new Set(said)];
}

/** A quoted-string of HTTP, in ASCII. */
function quotedString(text: string): string {
  return `"${text.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}

/** Refuses a member of a body that differs from what the path says. */
function agree(member: string, sent: string | undefined, wanted: string): void {
  if (sent !== undefined && sent !== wanted)
    throw invalidRecord(
      `${member} ${quoted(sent)} in the body differs from ${quoted(wanted)} in the URL`,
    );
}

function mismatch(condition: Condition | undefined): ServiceError {
  const absent = condition?.noneMatch === '*' && condition.match === undefined;
  const message = absent ? 'the script is there already' : undefined;
  return new ServiceError('precondition_failed', message);
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
