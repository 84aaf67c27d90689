/**
 * Scripts as tools: each that reads, on each database, for those who may run it. They run as they do for HTTP, but in a
 * transaction that can only read, and give 100 rows at most. A script that somebody may not run is for him none at all.
 * What a caller sends never throws: it comes to an outcome.
 */
import { performance } from 'node:perf_hooks';
import { READ, ScriptAccess } from '../access/script-access.js';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { McpSettings } from '../protocol.js';
import { Recent } from '../recent.js';
import { RequestData } from '../script/request-data.js';
import { unsafeValue } from '../script/script-error.js';
import type { Parameters } from '../script/query-string.js';
import type { ReadableScript, ReadableScripts } from '../script/scripts.js';
import { positionToScript, StatementBuilder, type Statement } from '../script/statement.js';
import { RefusedValue, TemplateError, type Rendered } from '../template/template.js';
import type { Call } from './call.js';
import type { ReadOnly } from './read-only.js';
import { Refusal } from './refusal.js';
import { logFailure, type Failure } from './failure.js';
import { scriptFailureText } from './script-failure.js';
import { ScriptTable, sharedNames } from './script-table.js';
import type { ScriptTool } from './script-tool.js';
import { MAX_ROWS } from './select-arguments.js';
import { countedRows, readCounted } from './select-statement.js';
import type { Arguments, ListedTool, ToolOutcome } from './tool.js';

/** What it needs. */
export interface ScriptToolsParts {
  readonly scripts: ReadableScripts;
  readonly readOnly: ReadOnly;
  /** Whether templates may bind the caller's claims. */
  readonly claims: boolean;
  /** Whether messages raised by scripts reach the caller. */
  readonly raised: boolean;
  readonly log: Logger;
}

/** The scripts of all databases, as they are at one time. */
interface Offer {
  readonly tables: readonly ScriptTable[];
  /** Names that several would have, so that none has them. */
  readonly shared: ReadonlySet<string>;
}

/** What was listed for one caller: it holds as long as the offer is the same. */
interface Listed {
  readonly offer: Offer;
  readonly tools: readonly ListedTool[];
}

/** Callers whose lists are kept. */
const CALLERS = { entries: 100, characters: 100_000 };

export class ScriptTools {
  readonly #settings: McpSettings;
  readonly #parts: ScriptToolsParts;
  readonly #access: ScriptAccess | undefined;
  readonly #statements: StatementBuilder;
  /** By alias, in the order of the databases. */
  readonly #tables = new Map<string, ScriptTable>();
  /** Those that are being made, each once. */
  readonly #making = new WeakMap<readonly ReadableScript[], Map<string, Promise<ScriptTable>>>();
  readonly #lists = new Recent<Listed>(CALLERS);
  #offer: Offer = { tables: [], shared: new Set() };

  constructor(settings: McpSettings, parts: ScriptToolsParts) {
    this.#settings = settings;
    this.#parts = parts;
    if (settings.scriptAccess !== undefined) this.#access = new ScriptAccess(settings.scriptAccess);
    // One row more than is told tells that there are more.
    const rows = `SELECT * FROM (\n\0\n) s LIMIT ${MAX_ROWS + 1}`;
    const [head = '', tail = ''] = countedRows(rows, String(MAX_ROWS), settings.maxResult).split(
      '\0',
    );
    this.#statements = new StatementBuilder({ head, tail });
  }

  /** list gives the tools of a caller, by database and path: none when the scripts cannot be read now. */
  async list(call: Call): Promise<readonly ListedTool[]> {
    let offer: Offer;
    try {
      offer = await this.#current();
    } catch (error) {
      if (error instanceof ServiceError) return []; // who reads them has said so in the log
      throw error;
    }
    if (this.#access !== undefined && !call.known) return NONE;
    const user = this.#access === undefined ? '' : call.name;
    const before = this.#lists.get(user);
    if (before?.offer === offer) return before.tools;
    const { tables, shared } = offer;
    const tools = tables.flatMap((table) =>
      table.tools.filter((tool) => !shared.has(tool.name) && this.#may(call, tool)),
    );
    this.#lists.set(user, { offer, tools });
    return tools;
  }

  /** run runs a tool; undefined when the caller has none of that name. */
  async run(call: Call, name: string, args: Arguments): Promise<ToolOutcome | undefined> {
    try {
      const tool = await this.#find(name);
      if (tool === undefined || !this.#may(call, tool)) return undefined;
      return await this.#run(call, tool, args);
    } catch (error) {
      if (error instanceof ServiceError) return { error: error.message };
      const { requestId } = call.request;
      this.#parts.log.error({ requestId, err: error }, 'a tool failed');
      return { error: new ServiceError('internal').message };
    }
  }

  #may(call: Call, { alias, folder, script }: ScriptTool): boolean {
    if (this.#access === undefined) return true;
    // Where scripts are restricted they need a token, also on a path that is open to all.
    if (!call.known) return false;
    return (this.#access.permissions(call.name, alias, folder, script) & READ) !== 0;
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

  /** What there is as the scripts are now. */
  async #current(): Promise<Offer> {
    const now = performance.now();
    const { databases } = this.#settings;
    const tables = await Promise.all(databases.map(({ alias }) => this.#table(alias, now)));
    const before = this.#offer;
    const { length } = before.tables;
    if (length > 0 && tables.every((table, i) => table === before.tables[i])) return before;
    const shared = sharedNames(tables);
    if (shared.size > 0 && shared.size !== before.shared.size)
      this.#parts.log.warn({ names: shared.size }, SHARED);
    return (this.#offer = { tables, shared });
  }

  async #table(alias: string, now: number): Promise<ScriptTable> {
    const scripts = await this.#parts.scripts.readable(alias, now);
    const before = this.#tables.get(alias);
    if (before?.scripts === scripts) return before;
    let making = this.#making.get(scripts)?.get(alias);
    if (making === undefined) {
      making = this.#make(alias, scripts, before);
      const others = this.#making.get(scripts) ?? new Map<string, Promise<ScriptTable>>();
      this.#making.set(scripts, others.set(alias, making));
    }
    return making;
  }

  async #make(
    alias: string,
    scripts: readonly ReadableScript[],
    before: ScriptTable | undefined,
  ): Promise<ScriptTable> {
    const table = await ScriptTable.make(alias, scripts, this.#settings.toolNames, before);
    this.#tables.set(alias, table);
    this.#lists.clear(); // they would hold what is not there any more
    const { leftOut } = table;
    if (leftOut > 0 && leftOut !== before?.leftOut)
      this.#parts.log.warn({ alias, scripts: leftOut }, LEFT_OUT);
    return table;
  }

  async #run(call: Call, tool: ScriptTool, args: Arguments): Promise<ToolOutcome> {
    const { requestId } = call.request;
    let sent: Parameters;
    let rendered: Rendered;
    let statement: Statement;
    try {
      sent = tool.input.take(args);
      rendered = tool.template.render(this.#data(call, tool, sent));
      statement = this.#statements.build('read', rendered.text, tool.path);
    } catch (error) {
      return this.#refused(error, call, tool);
    }
    const { alias, cost } = tool;
    const { values } = rendered;
    const { readOnly, raised, log } = this.#parts;
    const outcome = await readOnly.read(alias, { statement, values, form: 'value', cost }, call);
    if (outcome.failure === undefined) return outcomeOf(outcome.result.value);
    const { failure } = outcome;
    if (!call.abandoned) {
      const position = positionOf(failure, tool, rendered, statement);
      logFailure(log, failure, { requestId, script: tool.path, alias, position });
    }
    const { maxResult } = this.#settings;
    return { error: scriptFailureText(failure, { sent, maxResult, raised }) };
  }

  #data(call: Call, { path }: ScriptTool, sent: Parameters): RequestData {
    const { headers, claims, requestId } = call.request;
    return new RequestData(sent, headers, this.#parts.claims ? claims : '', (header) => {
      this.#parts.log.warn(
        { requestId, script: path, header },
        'a header was blanked: its value cannot be interpolated safely',
      );
    });
  }

  /** What comes of arguments with which there is no statement. */
  #refused(error: unknown, call: Call, { path }: ScriptTool): ToolOutcome {
    if (error instanceof Refusal) return { error: error.message };
    if (error instanceof RefusedValue)
      return { error: `${unsafeValue(error.parameter).message}. ${PLAIN_VALUES}` };
    if (error instanceof TemplateError) {
      const { requestId } = call.request;
      const position = `${path}:${error.line}:${error.column}`;
      this.#parts.log.warn({ requestId, script: path, position }, error.safeMessage);
      return { error: `could not run script ${path} with these arguments: ${NOT_RENDERED}` };
    }
    throw error;
  }
}

const NONE: readonly ListedTool[] = [];
const LEFT_OUT =
  'scripts are no tools: clients take no such name of a tool or of a parameter, or two have the same';
const SHARED = 'scripts on several databases are no tools: they would have the same name';
const PLAIN_VALUES =
  'This script takes letters, digits, spaces and _ . : @ / \\ - there, and no words of SQL in a text of several words.';
const NOT_RENDERED =
  'one is missing, or of another form than the script expects. The reason is in the log of the service.';
const MORE =
  'There are more rows. Narrow down what the script reads, or ask for another page where it has parameters for that.';

/** The answer to a call whose statement gave a value. */
function outcomeOf(value: string | { text(): string } | null): ToolOutcome {
  const text = typeof value === 'string' ? value : (value?.text() ?? '0[]');
  const { rows, count, truncated } = readCounted(text, MAX_ROWS);
  const more = truncated ? `,"truncated":true,"notice":${JSON.stringify(MORE)}` : '';
  return { json: `{"rows":${rows},"count":${count}${more}}` };
}

/** Where in the script PostgreSQL found what it says. */
function positionOf(
  failure: Failure,
  { path }: ScriptTool,
  rendered: Rendered,
  statement: Statement,
): string | undefined {
  if (failure instanceof ServiceError || failure.position === undefined) return undefined;
  const place = rendered.locate(positionToScript(statement, failure.position));
  return `${path}:${place.line}:${place.column}`;
}
