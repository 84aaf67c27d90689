/** The entries of the generic tools in `tools/list`. Tools for hidden listings are left out. */
import type { McpSettings } from '../../messages/worker-settings.js';
import { FUNCTIONS, SPANS } from '../rows/aggregate-arguments.js';
import {
  ANY_VALUE,
  COLUMNS,
  FILTERS,
  LIMIT,
  listOf,
  objectOf,
  OFFSET,
  ORDER,
  READ_ONLY,
  type Schema,
} from '../arguments/input-schema.js';
import {
  GENERIC_TOOLS,
  genericToolName,
  type GenericTool,
  type NameForm,
} from '../arguments/tool-names.js';
import type { ListedTool } from '../arguments/tool.js';

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
const SCHEMA: Schema = {
  type: 'string',
  description: 'Schema of the table; needed only if several have one of that name.',
};
const TABLE: Schema = { type: 'string', description: 'Table or view.' };

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
      'Lists the tables and views of a database that you may read, with comments and estimated rows. Use search to find those that a question is about.',
    inputSchema: objectOf({
      database: DATABASE,
      schema: { type: 'string', description: 'Only the tables of this schema.' },
      search: {
        type: 'string',
        description:
          'Words to look for in names and comments of tables and columns; the best match comes first.',
      },
      verbose: { type: 'boolean', description: 'Also owners, and each partition.' },
      ...PART,
    }),
  },
  describe_table: {
    title: 'Describe table',
    description:
      'Describes a table or view: columns with types, allowed values and comments, primary key, foreign keys in both directions, indexes, checks.',
    inputSchema: objectOf(
      {
        database: DATABASE,
        schema: SCHEMA,
        table: TABLE,
        verbose: { type: 'boolean', description: 'Also owner and type.' },
      },
      ['table'],
    ),
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
      ['table'],
    ),
  },
  aggregate_table: {
    title: 'Count and compute',
    description:
      'Computes count, count_distinct, sum, avg, min and max over the rows of a table or view, in groups: 100 groups at most in one call. Values of a column with their counts: {"group_by": ["status"]}. Sums by month: {"group_by": [{"column": "placed_at", "by": "month"}], "aggregates": [{"function": "sum", "column": "total"}]}. Columns of referenced tables go by path in group_by, aggregates and filters: "customer.country", "product.category.name".',
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
      ['table'],
    ),
  },
};

/** A word of a description that is the name of a generic tool. */
const NAMES = new RegExp(`\\b(?:${GENERIC_TOOLS.join('|')})\\b`, 'g');

/** withNames writes the names of generic tools in a text as a client sees them. */
export function withNames(form: NameForm, text: string): string {
  return text.replaceAll(NAMES, (name) => genericToolName(form, name as GenericTool));
}

export function genericTools(
  { expose }: Pick<McpSettings, 'expose'>,
  form: NameForm,
): ListedTool[] {
  const hidden = new Set<GenericTool>();
  if (!expose.databases) hidden.add('list_databases');
  if (!expose.schemas) hidden.add('list_schemas');
  if (!expose.tables) hidden.add('list_tables');
  return GENERIC_TOOLS.filter((tool) => !hidden.has(tool)).map((tool) => {
    const { title, inputSchema } = DESCRIPTIONS[tool];
    const description = withNames(form, DESCRIPTIONS[tool].description);
    const name = genericToolName(form, tool);
    const entry = { name, title, description, inputSchema, annotations: READ_ONLY };
    return { name, json: JSON.stringify(entry) };
  });
}
