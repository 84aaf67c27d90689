/**
 * Runs tools: finds the tool and the table, and passes the arguments on. Failures are outcomes with a message that says
 * what to change; only an unknown tool and a hidden listing are errors of the protocol.
 */
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { McpSettings } from '../../messages/worker-settings.js';
import type { McpCall } from '../arguments/call.js';
import { checkNames, requiredText, textArgument } from '../arguments/checked-arguments.js';
import {
  databasesJson,
  DESCRIBE_ARGUMENTS,
  descriptionJson,
  SCHEMAS_ARGUMENTS,
  schemasJson,
  TABLES_ARGUMENTS,
  tablesJson,
} from './listings.js';
import type { ReadOnly } from '../tables/read-only.js';
import { listNames, shorten, ArgumentError } from '../arguments/argument-error.js';
import type { ScriptTools } from '../scripts/script-tools.js';
import { AGGREGATE_ARGUMENTS } from '../rows/aggregate-arguments.js';
import { nearestTables } from '../tables/nearest-tables.js';
import { aggregateQuery, selectQuery, type QueryKind } from '../rows/row-query.js';
import { ROW_ARGUMENTS, SELECT_ARGUMENTS } from '../rows/select-arguments.js';
import type { TableCatalog, Table, VisibleTables } from '../tables/table.js';
import { TableRows } from '../rows/table-rows.js';
import { PERMISSION_DENIED } from '../arguments/tool-failure.js';
import type { ToolList } from './tool-list.js';
import {
  formOf,
  FORMS,
  genericToolName,
  mayName,
  namePrefix,
  type GenericTool,
} from '../arguments/tool-names.js';
import { INVALID_PARAMS, RpcError, type Arguments, type ToolOutcome } from '../arguments/tool.js';

type Run = (call: McpCall, args: Arguments) => ToolOutcome | Promise<ToolOutcome>;

export class ToolCalls {
  readonly #settings: McpSettings;
  readonly #catalog: TableCatalog;
  readonly #list: ToolList;
  readonly #scripts: ScriptTools | undefined;
  readonly #rows: TableRows;
  /** The generic tools, by name in every form. */
  readonly #generic: ReadonlyMap<string, Run>;

  /** Without `scripts`, scripts are not tools. */
  constructor(
    settings: McpSettings,
    catalog: TableCatalog,
    list: ToolList,
    scripts: ScriptTools | undefined,
    readOnly: ReadOnly,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#catalog = catalog;
    this.#list = list;
    this.#scripts = scripts;
    this.#rows = new TableRows(readOnly, settings.maxResult, log);
    const { expose } = settings;
    const generic: Readonly<Record<GenericTool, Run>> = {
      list_databases: listing(expose.databases, (_call, args) => ({
        json: databasesJson(args, catalog),
      })),
      list_schemas: listing(expose.schemas, this.#visible(SCHEMAS_ARGUMENTS, schemasJson)),
      list_tables: listing(expose.tables, this.#visible(TABLES_ARGUMENTS, tablesJson)),
      describe_table: this.#describe,
      select_table: this.#reading(SELECT_ARGUMENTS, selectQuery),
      aggregate_table: this.#reading(AGGREGATE_ARGUMENTS, aggregateQuery),
    };
    const entries = Object.entries(generic) as [GenericTool, Run][];
    this.#generic = new Map(
      FORMS.flatMap((form) =>
        entries.map(([name, run]) => [
          genericToolName(form, name),
          (call, args) => {
            call.called(name);
            return run(call, args);
          },
        ]),
      ),
    );
  }

  /** run runs a tool. Rejects with RpcError: an unknown tool, a hidden listing. */
  async run(call: McpCall, name: string, args: Arguments): Promise<ToolOutcome> {
    try {
      const generic = this.#generic.get(name);
      if (generic !== undefined) return await generic(call, args);
      if (!name.startsWith(namePrefix(formOf(name), 'script')))
        return await this.#selectFrom(call, name, args);
      const outcome = await this.#scripts?.run(call, name, args);
      if (outcome === undefined) throw unknownTool(name);
      call.called('script');
      return outcome;
    } catch (error) {
      if (!(error instanceof ArgumentError || error instanceof ServiceError)) throw error;
      return { error: error.message };
    }
  }

  /** Lists what is visible of a database. */
  #visible(
    names: readonly string[],
    json: (args: Arguments, visible: VisibleTables) => string | Promise<string>,
  ): Run {
    return async (call, args) => {
      checkNames(args, names);
      const visible = await this.#catalog.visible(this.#aliasOf(call, args), call);
      return { json: await json(args, visible) };
    };
  }

  #describe: Run = async (call, args) => {
    checkNames(args, DESCRIBE_ARGUMENTS);
    const found = await this.#find(call, args);
    if ('error' in found) return found;
    return { json: descriptionJson(args, found.table, found.visible) };
  };

  #reading(names: readonly string[], kind: QueryKind): Run {
    return async (call, args) => {
      checkNames(args, names);
      const found = await this.#find(call, args);
      return 'error' in found ? found : this.#read(call, kind, found, args);
    };
  }

  /** Runs the tool of a single table. */
  async #selectFrom(call: McpCall, name: string, args: Arguments): Promise<ToolOutcome> {
    const aliases = this.#aliasesIn(name);
    let table = await this.#list.tableOf(call, name);
    for (const alias of table === undefined ? aliases : []) {
      await this.#catalog.renewed(alias, call);
      table ??= await this.#list.tableOf(call, name);
    }
    if (table === undefined) {
      if (aliases.length > 0 || hasTableName(name)) return this.#denied(call);
      throw unknownTool(name);
    }
    call.called('table');
    // Arguments that name a table are ignored, and not offered.
    checkNames(args, SELECT_ARGUMENTS, ROW_ARGUMENTS);
    const visible = await this.#catalog.visible(table.alias, call);
    return this.#read(call, selectQuery, { table, visible }, args);
  }

  async #read(
    call: McpCall,
    kind: QueryKind,
    { table, visible }: FoundTable,
    args: Arguments,
  ): Promise<ToolOutcome> {
    const renewed = (): Promise<VisibleTables> => this.#catalog.renewed(table.alias, call);
    const outcome = await this.#rows.read(call, kind, [table, visible], args, renewed);
    return outcome ?? this.#denied(call);
  }

  /** The databases that the name of a table's tool may refer to. */
  #aliasesIn(name: string): string[] {
    if (!hasTableName(name)) return [];
    return this.#catalog.databases
      .map(({ alias }) => alias)
      .filter((alias) => mayName(alias, name));
  }

  /** The alias in the arguments, or else the default database's. */
  #aliasOf(call: McpCall, args: Arguments): string {
    const wanted = textArgument(args, 'database');
    const { databases } = this.#catalog;
    if (wanted === undefined) return databases[0]!.alias;
    if (databases.some(({ alias }) => alias === wanted)) return wanted;
    const instead = this.#settings.expose.databases
      ? `, or use one that ${call.named('list_databases')} gives`
      : '';
    throw new ArgumentError(
      `database not registered: ${shorten(wanted)}. Leave "database" out for the default one${instead}.`,
    );
  }

  /**
   * The table that the arguments name, or the outcome if the caller has none of that name. The schema may be left out for
   * a name that only one of the caller's tables has.
   */
  async #find(call: McpCall, args: Arguments): Promise<FoundTable | { readonly error: string }> {
    const alias = this.#aliasOf(call, args);
    const schema = textArgument(args, 'schema');
    const name = requiredText(args, 'table');
    const visible = await this.#catalog.visible(alias, call);
    const table = tableIn(visible, schema, name);
    if (table !== undefined) return { table, visible };
    const renewed = await this.#catalog.renewed(alias, call);
    const found = tableIn(renewed, schema, name);
    if (found !== undefined) return { table: found, visible: renewed };
    const listed = this.#settings.expose.tables;
    return this.#denied(call, listed ? nearestTables(renewed, schema, name) : []);
  }

  /** The outcome for a table that does not exist or may not be read, with names that may be meant. */
  #denied(call: McpCall, nearest: readonly string[] = []): { readonly error: string } {
    const meant = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
    const instead = this.#settings.expose.tables
      ? ` ${call.named('list_tables')} lists those.`
      : '';
    return {
      error: `${PERMISSION_DENIED}: there is no such table that you may read.${meant}${instead}`,
    };
  }
}

function listing(isExposed: boolean, run: Run): Run {
  if (isExposed) return run;
  return () => {
    throw new RpcError(400, 'unauthorized listing', 400);
  };
}

interface FoundTable {
  readonly table: Table;
  readonly visible: VisibleTables;
}

/** Throws ArgumentError if several schemas have a table of that name. */
function tableIn(
  visible: VisibleTables,
  schema: string | undefined,
  name: string,
): Table | undefined {
  if (schema !== undefined) return visible.find(schema, name);
  const [table, ...others] = visible.named(name);
  if (table === undefined) return qualified(visible, name);
  if (others.length === 0) return table;
  const schemas = listNames(visible.named(name).map((one) => one.schema));
  throw new ArgumentError(
    `several schemas have a table ${shorten(name)}. Give one of them as schema: ${schemas}.`,
  );
}

/** A table by its schema and name in one text, `public.orders`. */
function qualified(visible: VisibleTables, text: string): Table | undefined {
  for (let at = text.indexOf('.'); at >= 0; at = text.indexOf('.', at + 1)) {
    const table = visible.find(text.slice(0, at), text.slice(at + 1));
    if (table !== undefined) return table;
  }
  return undefined;
}

/** Whether a name has the form of a table's tool: database, schema and table. */
function hasTableName(name: string): boolean {
  const form = formOf(name);
  const prefix = namePrefix(form, 'select');
  if (!name.startsWith(prefix)) return false;
  const rest = name.slice(prefix.length);
  return form === 'plain' ? rest !== '' : rest.split('.').length >= 3;
}

function unknownTool(name: string): RpcError {
  return new RpcError(INVALID_PARAMS, `unknown tool: ${shorten(name)}`);
}
