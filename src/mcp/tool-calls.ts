/**
 * Runs the tools: finds what a name stands for, and what the arguments mean. Whatever goes wrong becomes an outcome that
 * says what to change; only what is no tool, or is hidden, is an error of the protocol.
 */
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { McpSettings } from '../protocol.js';
import type { Call } from './call.js';
import { checkNames, neededText, textOf } from './checked-arguments.js';
import { PERMISSION_DENIED } from './failure.js';
import {
  checkDescribe,
  databasesJson,
  descriptionJson,
  SCHEMAS_ARGUMENTS,
  schemasJson,
  TABLES_ARGUMENTS,
  tablesJson,
} from './listings.js';
import type { ReadOnly } from './read-only.js';
import { cut, Refusal } from './refusal.js';
import { checkSelect, checkTableSelect } from './select-arguments.js';
import type { Catalog, Table } from './table.js';
import { TableRows } from './table-rows.js';
import { genericToolName, mayName, namePrefix, type GenericTool } from './tool-names.js';
import { INVALID_PARAMS, RpcError, type Arguments, type ToolOutcome } from './tool.js';

/** Knows which table a tool of a single table is about. */
export interface TableNames {
  /** tableOf gives the table that a tool's name means for a caller, undefined when there is none. */
  tableOf(call: Call, name: string): Table | undefined | Promise<Table | undefined>;
}

/** Runs scripts. */
export interface ScriptRuns {
  /** run runs the script that a tool's name means for a caller; resolves to undefined when there is none. */
  run(call: Call, name: string, args: Arguments): Promise<ToolOutcome | undefined>;
}

/** What it works with. */
export interface ToolParts {
  readonly catalog: Catalog;
  readonly list: TableNames;
  readonly readOnly: ReadOnly;
  /** Undefined: scripts are no tools. */
  readonly scripts: ScriptRuns | undefined;
  readonly log: Logger;
}

type Run = (call: Call, args: Arguments) => ToolOutcome | Promise<ToolOutcome>;

export class ToolCalls {
  readonly #settings: McpSettings;
  readonly #catalog: Catalog;
  readonly #list: TableNames;
  readonly #scripts: ScriptRuns | undefined;
  readonly #rows: TableRows;
  /** Tools that are not about a single table or script, by name. */
  readonly #generic: ReadonlyMap<string, Run>;
  readonly #selectPrefix: string;
  readonly #scriptPrefix: string;

  constructor(settings: McpSettings, { catalog, list, readOnly, scripts, log }: ToolParts) {
    this.#settings = settings;
    this.#catalog = catalog;
    this.#list = list;
    this.#scripts = scripts;
    this.#rows = new TableRows(readOnly, settings.maxResult, log);
    const { expose } = settings;
    this.#generic = new Map<string, Run>([
      [this.#named('list_databases'), this.#listing(expose.databases, this.#listDatabases)],
      [this.#named('list_schemas'), this.#listing(expose.schemas, this.#listSchemas)],
      [this.#named('list_tables'), this.#listing(expose.tables, this.#listTables)],
      [this.#named('describe_table'), this.#describe],
      [this.#named('select_table'), this.#select],
    ]);
    this.#selectPrefix = namePrefix(settings.toolNames, 'service', 'select');
    this.#scriptPrefix = namePrefix(settings.toolNames, 'service', 'script');
  }

  /** run runs a tool. Rejects with RpcError: an unknown tool, a hidden listing. */
  async run(call: Call, name: string, args: Arguments): Promise<ToolOutcome> {
    try {
      const generic = this.#generic.get(name);
      if (generic !== undefined) return await generic(call, args);
      if (!name.startsWith(this.#scriptPrefix)) return await this.#selectFrom(call, name, args);
      const outcome = await this.#scripts?.run(call, name, args);
      if (outcome === undefined) throw unknownTool(name);
      return outcome;
    } catch (error) {
      if (error instanceof Refusal) return { error: error.message };
      if (!(error instanceof ServiceError)) throw error;
      return { error: error.message };
    }
  }

  #listing(exposed: boolean, run: Run): Run {
    if (exposed) return run;
    return () => {
      throw new RpcError(400, 'unauthorized listing', 400);
    };
  }

  #listDatabases: Run = (_call, args) => ({ json: databasesJson(args, this.#catalog) });

  #listSchemas: Run = async (call, args) => {
    checkNames(args, SCHEMAS_ARGUMENTS);
    const visible = await this.#catalog.visible(this.#aliasOf(args), call);
    return { json: schemasJson(args, visible) };
  };

  #listTables: Run = async (call, args) => {
    checkNames(args, TABLES_ARGUMENTS);
    const visible = await this.#catalog.visible(this.#aliasOf(args), call);
    return { json: tablesJson(args, visible) };
  };

  #describe: Run = async (call, args) => {
    checkDescribe(args);
    const table = await this.#find(call, args);
    return table === undefined ? this.#denied() : { json: descriptionJson(table) };
  };

  #select: Run = async (call, args) => {
    checkSelect(args);
    const table = await this.#find(call, args);
    return table === undefined ? this.#denied() : this.#selectRows(call, table, args);
  };

  /** A tool of a single table. */
  async #selectFrom(call: Call, name: string, args: Arguments): Promise<ToolOutcome> {
    const aliases = this.#aliasesIn(name);
    let table = await this.#list.tableOf(call, name);
    for (const alias of table === undefined ? aliases : []) {
      await this.#catalog.renewed(alias, call);
      table ??= await this.#list.tableOf(call, name);
    }
    if (table === undefined) {
      if (aliases.length > 0 || this.#hasTableName(name)) return this.#denied();
      throw unknownTool(name);
    }
    checkTableSelect(args);
    return this.#selectRows(call, table, args);
  }

  async #selectRows(call: Call, table: Table, args: Arguments): Promise<ToolOutcome> {
    const { alias, schema, name } = table;
    const renewed = async (): Promise<Table | undefined> =>
      (await this.#catalog.renewed(alias, call)).find(schema, name);
    return (await this.#rows.select(call, table, args, renewed)) ?? this.#denied();
  }

  /** The databases that a table's tool may be about, going by its name. */
  #aliasesIn(name: string): string[] {
    const { toolNames } = this.#settings;
    return this.#catalog.databases
      .map(({ alias }) => alias)
      .filter((alias) => this.#hasTableName(name) && mayName(toolNames, alias, name));
  }

  /** Whether a name has the form of those of tables' tools: a database, a schema and a table. */
  #hasTableName(name: string): boolean {
    if (!name.startsWith(this.#selectPrefix)) return false;
    const rest = name.slice(this.#selectPrefix.length);
    return this.#settings.toolNames === 'plain' ? rest !== '' : rest.split('.').length >= 3;
  }

  /** The alias that is meant, the default one where none is given. */
  #aliasOf(args: Arguments): string {
    const wanted = textOf(args, 'database');
    const { databases } = this.#catalog;
    if (wanted === undefined) return databases[0]!.alias;
    if (databases.some(({ alias }) => alias === wanted)) return wanted;
    const instead = this.#settings.expose.databases
      ? `, or use one that ${this.#named('list_databases')} gives`
      : '';
    throw new Refusal(
      `database not registered: ${cut(wanted)}. Leave "database" out for the default one${instead}.`,
    );
  }

  async #find(call: Call, args: Arguments): Promise<Table | undefined> {
    const alias = this.#aliasOf(args);
    const schema = neededText(args, 'schema');
    const name = neededText(args, 'table');
    const visible = await this.#catalog.visible(alias, call);
    return (
      visible.find(schema, name) ?? (await this.#catalog.renewed(alias, call)).find(schema, name)
    );
  }

  #denied(): ToolOutcome {
    const instead = this.#settings.expose.tables
      ? ` ${this.#named('list_tables')} lists those.`
      : '';
    return { error: `${PERMISSION_DENIED}: there is no such table that you may read.${instead}` };
  }

  #named(name: GenericTool): string {
    return genericToolName(this.#settings.toolNames, name);
  }
}

function unknownTool(name: string): RpcError {
  return new RpcError(INVALID_PARAMS, `unknown tool: ${cut(name)}`);
}
