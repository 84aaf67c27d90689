/**
 * Scripts as tools: each read script, on each database, for callers who may run it. They run as for HTTP, but in a
 * read-only transaction and with at most 100 rows. A script that the caller may not run does not exist for them. Invalid
 * arguments never throw: they become an outcome.
 */
import { performance } from 'node:perf_hooks';
import { READ, ScriptAccess } from '../../access/script-access.js';
import { ServiceError } from '../../base/errors.js';
import { NO_HEAD } from '../../script/head/head.js';
import type { Logger } from '../../observe/log.js';
import type { ProofCache } from '../../messages/proof-cache.js';
import { isFound } from '../../messages/proofs.js';
import type { McpSettings } from '../../messages/worker-settings.js';
import { recent } from '../../base/recent.js';
import { checkParameters } from '../../script/request/declared-parameters.js';
import { RequestData } from '../../script/request/request-data.js';
import { invalidValue } from '../../script/request/invalid-value.js';
import { invalidParameter, unsafeValue } from '../../script/script-error.js';
import type { QueryParameters } from '../../script/request/query-string.js';
import { statementFault } from '../../script/statement/statement-fault.js';
import type { ReadableScript, ReadableScripts } from '../../script/scripts.js';
import {
  positionToScript,
  StatementBuilder,
  type ScriptStatement,
} from '../../script/statement/statement.js';
import {
  InvalidParameter,
  RefusedValue,
  TemplateError,
  type Rendered,
} from '../../template/template.js';
import type { McpCall } from '../arguments/call.js';
import type { ReadOnly } from '../tables/read-only.js';
import { ArgumentError } from '../arguments/argument-error.js';
import { logFailure, type ToolFailure } from '../arguments/tool-failure.js';
import { scriptFailureText, scriptTooLargeText } from './script-failure.js';
import { ScriptTable, sharedNames } from './script-table.js';
import type { ScriptTool } from './script-tool.js';
import { MAX_ROWS } from '../rows/select-arguments.js';
import {
  countedRows,
  fittingRows,
  isTooLarge,
  longestValue,
  readCounted,
} from '../rows/counted-rows.js';
import type { Arguments, ListedTool, ToolOutcome } from '../arguments/tool.js';

export interface ScriptToolsOptions {
  /** Whether templates may bind the caller's claims. */
  readonly claims: boolean;
  /** Whether messages raised by scripts reach the caller. */
  readonly raised: boolean;
}

/** The scripts of all databases at one time. */
interface Offer {
  readonly tables: readonly ScriptTable[];
  /** Names that several scripts would have, which therefore mean none. */
  readonly shared: ReadonlySet<string>;
}

/** A table, and the sources that it was built from. */
interface Building {
  readonly scripts: readonly ReadableScript[];
  /** Version of the proofs. */
  readonly version: number;
  readonly table: Promise<ScriptTable>;
}

/** The list for one caller; valid while the offer is the same. */
interface Listed {
  readonly offer: Offer;
  readonly tools: readonly ListedTool[];
}

/** Callers whose lists are cached. */
const CALLERS = { entries: 200, characters: 200_000 };

export class ScriptTools {
  readonly #settings: McpSettings;
  readonly #scripts: ReadableScripts;
  readonly #proofs: ProofCache;
  readonly #readOnly: ReadOnly;
  readonly #options: ScriptToolsOptions;
  readonly #log: Logger;
  readonly #access: ScriptAccess | undefined;
  readonly #statements: StatementBuilder;
  /** For results that are too large. */
  readonly #fitting: StatementBuilder;
  /** By alias, in the order of the databases. */
  readonly #tables = new Map<string, ScriptTable>();
  /** Tables being built, or built last, by alias: each once. */
  readonly #building = new Map<string, Building>();
  readonly #lists = recent<Listed>(CALLERS);
  #offer: Offer = { tables: [], shared: new Set() };

  constructor(
    settings: McpSettings,
    scripts: ReadableScripts,
    proofs: ProofCache,
    readOnly: ReadOnly,
    options: ScriptToolsOptions,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#scripts = scripts;
    this.#proofs = proofs;
    this.#readOnly = readOnly;
    this.#options = options;
    this.#log = log;
    if (settings.scriptAccess !== undefined) this.#access = new ScriptAccess(settings.scriptAccess);
    // One row more than the maximum shows that there are more.
    const rows = {
      rows: `SELECT * FROM (\n\0\n) s LIMIT ${MAX_ROWS + 1}`,
      wanted: String(MAX_ROWS),
    };
    this.#statements = builderOf(countedRows(rows, settings.maxResult));
    this.#fitting = builderOf(fittingRows(rows, settings.maxResult));
  }

  /** list returns the tools of a caller, by database and path; none if the scripts cannot be read. */
  async list(call: McpCall): Promise<readonly ListedTool[]> {
    let offer: Offer;
    try {
      offer = await this.#current();
    } catch (error) {
      if (error instanceof ServiceError) return []; // already logged
      throw error;
    }
    if (this.#access !== undefined && !call.authenticated) return NONE;
    const { form } = call;
    const key = JSON.stringify([form, ...this.#holderOf(call)]);
    const before = this.#lists.get(key);
    if (before?.offer === offer) return before.tools;
    const { tables, shared } = offer;
    const permitted = tables.flatMap((table) =>
      table.tools.filter((tool) => this.#may(call, tool)),
    );
    const tools = permitted
      .map((tool) => tool.entry(form))
      .filter((entry) => entry !== undefined && !shared.has(entry.name)) as ListedTool[];
    this.#lists.set(key, { offer, tools });
    return tools;
  }

  /** run runs a tool; undefined if the caller has none of that name. */
  async run(call: McpCall, name: string, args: Arguments): Promise<ToolOutcome | undefined> {
    try {
      const tool = await this.#find(name);
      if (tool === undefined || !this.#may(call, tool)) return undefined;
      return await this.#run(call, tool, args);
    } catch (error) {
      if (error instanceof ServiceError) return { error: error.message };
      this.#log.error({ ...call.ids, err: error }, 'a tool failed');
      return { error: new ServiceError('internal').message };
    }
  }

  #may(call: McpCall, { alias, folder, script }: ScriptTool): boolean {
    if (this.#access === undefined) return true;
    // Restricted scripts need a token, even on an open path.
    if (!call.authenticated) return false;
    return (this.#access.permissions(call, alias, folder, script) & READ) !== 0;
  }

  /** What the permissions of a caller depend on. */
  #holderOf(call: McpCall): readonly string[] {
    if (this.#access === undefined) return [];
    return this.#access.usesScopes ? [call.name, ...[...call.scopes].sort()] : [call.name];
  }

  async #find(name: string): Promise<ScriptTool | undefined> {
    const { tables, shared } = await this.#current();
    if (shared.has(name)) return undefined;
    for (const table of tables) {
      const tool = table.find(name);
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  /** The offer for the current scripts. */
  async #current(): Promise<Offer> {
    const now = performance.now();
    const { databases } = this.#settings;
    const tables = await Promise.all(databases.map(({ alias }) => this.#table(alias, now)));
    const before = this.#offer;
    const { length } = before.tables;
    if (length > 0 && tables.every((table, i) => table === before.tables[i])) return before;
    const shared = sharedNames(tables);
    if (shared.size > 0 && shared.size !== before.shared.size)
      this.#log.warn({ names: shared.size }, SHARED);
    return (this.#offer = { tables, shared });
  }

  async #table(alias: string, now: number): Promise<ScriptTable> {
    const scripts = await this.#scripts.readable(alias, now);
    const { version } = this.#proofs;
    const last = this.#building.get(alias);
    if (last?.scripts === scripts && last.version === version) return last.table;
    const table = this.#build(alias, scripts);
    this.#building.set(alias, { scripts, version, table });
    return table;
  }

  async #build(alias: string, scripts: readonly ReadableScript[]): Promise<ScriptTable> {
    const before = this.#tables.get(alias);
    const table = await ScriptTable.build(alias, scripts, this.#proofs, before);
    if (table === before) return table;
    this.#tables.set(alias, table);
    this.#lists.clear(); // they refer to the previous table
    const leftOut = this.#leftOut(table);
    if (leftOut > 0 && (before === undefined || leftOut !== this.#leftOut(before)))
      this.#log.warn({ alias, scripts: leftOut }, LEFT_OUT);
    return table;
  }

  /** The number of readable scripts that are not tools in the configured form of names. */
  #leftOut({ scripts, tools }: ScriptTable): number {
    const { toolNames } = this.#settings;
    return scripts.length - tools.filter(({ names }) => names[toolNames] !== undefined).length;
  }

  async #run(call: McpCall, tool: ScriptTool, args: Arguments): Promise<ToolOutcome> {
    let sent: QueryParameters;
    let rendered: Rendered;
    let statement: ScriptStatement;
    try {
      sent = tool.input.parse(args);
      const data = this.#data(call, tool, sent);
      if (tool.head !== NO_HEAD) checkParameters(tool.head.parameters, data);
      rendered = tool.template.render(data);
      statement = this.#statements.build('read', rendered.text, tool.path);
    } catch (error) {
      return this.#notRendered(error, call, tool);
    }
    const { alias, cost } = tool;
    const { values } = rendered;
    const { timeout, primary: onPrimary } = tool.head;
    const named = { script: tool.path, rendered };
    const reading = { statement, values, form: 'value', cost, timeout, onPrimary, named } as const;
    let outcome = await this.#readOnly.read(alias, reading, call);
    if (isTooLarge(outcome)) {
      statement = this.#fitting.build('read', rendered.text, tool.path);
      outcome = await this.#readOnly.read(alias, { ...reading, statement }, call);
    }
    if (outcome.failure === undefined)
      return outcomeOf(outcome.result.value, this.#settings.maxResult);
    const { failure } = outcome;
    const offset = offsetOf(failure, statement);
    const at = offset === undefined ? undefined : rendered.locate(offset);
    const fault =
      failure instanceof ServiceError || isFound(tool.proof, failure.state, at)
        ? undefined
        : statementFault(
            failure.state,
            rendered,
            () => (name) => sent.has(name),
            tool.head.parameters,
          );
    const parameter =
      failure instanceof ServiceError || fault !== undefined
        ? undefined
        : invalidValue(failure, { rendered, offset });
    if (!call.abandoned) {
      const found = fault?.place ?? at;
      const position = found && `${tool.path}:${found.line}:${found.column}`;
      const place = { ...call.ids, script: tool.path, alias, position, parameter };
      logFailure(this.#log, failure, place);
    }
    const { maxResult } = this.#settings;
    const { raised } = this.#options;
    const failed = { sent, maxResult, raised, fault: fault?.error, parameter };
    return { error: scriptFailureText(failure, failed) };
  }

  #data(call: McpCall, { path, head }: ScriptTool, sent: QueryParameters): RequestData {
    const { headers, claims } = call.request;
    const onBlanked = (header: string): void => {
      this.#log.warn(
        { ...call.ids, script: path, header },
        'a header was blanked: its value cannot be interpolated safely',
      );
    };
    const bound = this.#options.claims ? claims : '';
    return new RequestData(sent, headers, bound, onBlanked, head.parameters);
  }

  /** The outcome if no statement could be rendered from the arguments. */
  #notRendered(error: unknown, call: McpCall, { path }: ScriptTool): ToolOutcome {
    if (error instanceof ArgumentError) return { error: error.message };
    if (error instanceof RefusedValue)
      return { error: `${unsafeValue(error.parameter).message}. ${PLAIN_VALUES}` };
    if (error instanceof TemplateError) {
      const position = `${path}:${error.line}:${error.column}`;
      const parameter = error instanceof InvalidParameter ? error.invalid.parameter : undefined;
      this.#log.warn({ ...call.ids, script: path, position, parameter }, error.safeMessage);
      if (error instanceof InvalidParameter)
        return { error: invalidParameter(error.invalid).message };
      return { error: `could not run script ${path} with these arguments: ${NOT_RENDERED}` };
    }
    if (error instanceof ServiceError && error.detail !== undefined) {
      this.#log.warn({ ...call.ids, script: path }, error.detail);
    }
    throw error;
  }
}

const NONE: readonly ListedTool[] = [];
const LEFT_OUT =
  'some scripts are not MCP tools, because clients reject the name of the tool or of a parameter, or two scripts would have the same name';
const SHARED =
  'some scripts are not MCP tools, because scripts on several databases would have the same name';
const PLAIN_VALUES =
  'This script takes letters, digits, spaces and _ . : @ / \\ - there, and no words of SQL in a text of several words.';
const NOT_RENDERED =
  'one is missing, or of another form than the script expects. The reason is in the log of the service.';
const MORE =
  'There are more rows. Narrow down what the script reads, or ask for another page where it has parameters for that.';

/** The builder for statements with a NUL where the text of the script belongs. */
function builderOf(frame: string): StatementBuilder {
  const [head = '', tail = ''] = frame.split('\0');
  return new StatementBuilder({ head, tail });
}

/** The outcome of a call whose statement succeeded; `maxResult` is in bytes. */
function outcomeOf(value: Parameters<typeof readCounted>[0], maxResult: number): ToolOutcome {
  const counted = readCounted(value, MAX_ROWS);
  if (counted === undefined) return { error: scriptTooLargeText(maxResult) };
  const { rows, count, truncated, cut } = counted;
  const notices = [
    ...(cut ? [`Values longer than ${longestValue(maxResult)} characters are cut.`] : []),
    ...(truncated ? [MORE] : []),
  ];
  const notice = notices.length === 0 ? '' : `,"notice":${JSON.stringify(notices.join(' '))}`;
  return {
    json: `{"rows":${rows},"count":${count}${truncated ? ',"truncated":true' : ''}${notice}}`,
  };
}

/** The offset of PostgreSQL's error in the rendered text. */
function offsetOf(failure: ToolFailure, statement: ScriptStatement): number | undefined {
  if (failure instanceof ServiceError || failure.position === undefined) return undefined;
  return positionToScript(statement, failure.position);
}
