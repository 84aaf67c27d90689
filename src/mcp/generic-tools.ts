/** The entries of the generic tools in `tools/list`. Tools for hidden listings are left out. */
import type { McpSettings } from '../settings.js';
import { FUNCTIONS, SPANS } from './aggregate-arguments.js';
import {
  annotations,
  ANY_VALUE,
  COLUMNS,
  FILTERS,
  LIMIT,
  listOf,
  objectOf,
  OFFSET,
  ORDER,
  type Schema,
} from './input-schema.js';
import { GENERIC_TOOLS, genericToolName, type GenericTool } from './tool-names.js';
import type { ListedTool } from './tool.js';

interface Description {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
}

const NAME: Schema = { type: 'string' };
const DATABASE: Schema = {
  type: 'string',
  description: 'Alias of a database; the default one when left out.',
};
const SCHEMA: Schema = { type: 'string', description: 'Schema of the table.' };
const TABLE: Schema = { type: 'string', description: 'Table or view in that schema.' };

/** Options for a list of related rows. */
const RELATED = objectOf({
  columns: listOf(NAME, COLUMNS),
  filters: { type: 'object', additionalProperties: ANY_VALUE },
  order_by: listOf(NAME, ORDER),
  limit: { type: 'integer', minimum: 1, maximum: 100, description: 'For each row, 10 by default.' },
});

const AS: Schema = { type: 'string', description: 'Its name in the result.' };

const GROUP = objectOf(
  {
    column: NAME,
    by: { type: 'string', enum: SPANS },
    time_zone: { type: 'string', description: 'Where the spans begin, as "Europe/Berlin".' },
    as: AS,
  },
  ['column'],
);

const AGGREGATE = objectOf(
  {
    function: { type: 'string', enum: FUNCTIONS },
    column: { type: 'string', description: 'Left out to count rows.' },
    as: AS,
  },
  ['function'],
);

/** Arguments for a part of a long list. */
const PART = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Most entries to return (1000 by default).',
  },
  offset: {
    type: 'integer',
    minimum: 0,
    description: 'Entries to skip: next_offset of the answer before.',
  },
} satisfies Record<string, Schema>;

const DESCRIPTIONS: Readonly<Record<GenericTool, Description>> = {
  list_databases: {
    title: 'List databases',
    description:
      'Lists the databases that can be read. The other tools take their names as "database".',
    inputSchema: objectOf({}),
  },
  list_schemas: {
    title: 'List schemas',
    description: 'Lists the schemas of a database that hold tables you may read.',
    inputSchema: objectOf({ database: DATABASE, ...PART }),
  },
  list_tables: {
    title: 'List tables',
    description:
      'Lists the tables and views of a database that you may read, with schema, owner and type.',
    inputSchema: objectOf({
      database: DATABASE,
      schema: { type: 'string', description: 'Only the tables of this schema.' },
      ...PART,
    }),
  },
  describe_table: {
    title: 'Describe table',
    description:
      'Describes a table or view: its columns with type, nullability, default value and comment.',
    inputSchema: objectOf({ database: DATABASE, schema: SCHEMA, table: TABLE }, [
      'schema',
      'table',
    ]),
  },
  select_table: {
    title: 'Read rows',
    description:
      'Reads rows of a table or view, 100 at most in one call. Look at its columns with describe_table first, and narrow down with filters and columns. "count" in the answer is the number of its rows; ask for the number of all matching rows with total. To count, sum or group, use aggregate_table.',
    inputSchema: objectOf(
      {
        database: DATABASE,
        schema: SCHEMA,
        table: TABLE,
        columns: listOf(NAME, COLUMNS),
        filters: { type: 'object', additionalProperties: ANY_VALUE, description: FILTERS },
        order_by: listOf(NAME, ORDER),
        limit: LIMIT,
        offset: OFFSET,
        total: {
          type: 'boolean',
          description: 'Whether to count all rows that match, as "total".',
        },
        include: {
          type: 'object',
          additionalProperties: { anyOf: [listOf(NAME, COLUMNS), RELATED] },
          description:
            'Related rows along foreign keys, by the name of the other table, or of the column of the key where several lead there: {"customer": ["name"]} adds the one row that is referenced, {"orders": {"columns": ["id"], "limit": 5}} a list of those that reference this one.',
        },
      },
      ['schema', 'table'],
    ),
  },
  aggregate_table: {
    title: 'Count and compute',
    description:
      'Computes count, count_distinct, sum, avg, min and max over the rows of a table or view, in groups: 100 groups at most in one call. Values of a column with their counts: {"group_by": ["status"]}. Sums by month: {"group_by": [{"column": "placed_at", "by": "month"}], "aggregates": [{"function": "sum", "column": "total"}]}.',
    inputSchema: objectOf(
      {
        database: DATABASE,
        schema: SCHEMA,
        table: TABLE,
        group_by: {
          type: 'array',
          items: { anyOf: [NAME, GROUP] },
          description:
            'Columns, or spans of time of a column; without any, all rows are one group.',
        },
        aggregates: {
          type: 'array',
          items: AGGREGATE,
          description: 'What to compute for each group; the number of rows by default.',
        },
        filters: { type: 'object', additionalProperties: ANY_VALUE, description: FILTERS },
        having: {
          type: 'object',
          additionalProperties: ANY_VALUE,
          description:
            'Conditions on the columns of the result, as in filters: {"count": {">": 10}}, {"sum_total": {">=": 1000}}.',
        },
        order_by: listOf(
          NAME,
          'Columns of the result to sort by; a minus sign before a name sorts in descending order. By default spans of time in their order, otherwise the largest first value.',
        ),
        limit: { ...LIMIT, description: 'Most groups to return (100 by default).' },
        offset: OFFSET,
      },
      ['schema', 'table'],
    ),
  },
};

export function genericTools({ toolNames, expose }: McpSettings): ListedTool[] {
  const hidden = new Set<GenericTool>();
  if (!expose.databases) hidden.add('list_databases');
  if (!expose.schemas) hidden.add('list_schemas');
  if (!expose.tables) hidden.add('list_tables');
  return GENERIC_TOOLS.filter((tool) => !hidden.has(tool)).map((tool) => {
    const { title, description, inputSchema } = DESCRIPTIONS[tool];
    const name = genericToolName(toolNames, tool);
    const entry = { name, title, description, inputSchema, annotations: annotations(title) };
    return { name, json: JSON.stringify(entry) };
  });
}
