/** The tool of a table: short, with the types of the columns, and a schema that all clients accept. */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { tableTool } from '#app/mcp/tools/table-tool.js';
import type { Column, Table } from '#app/mcp/tables/table.js';
import { column, tableOf } from '../tested-table.js';

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations: Record<string, unknown>;
}

/** Characters of an entry: about 250 tokens. */
const MOST = 1_000;

const jsonOf = (table: Table): string => tableTool('select_main_public_item', table, 'plain');
const entryOf = (table: Table): Entry => JSON.parse(jsonOf(table)) as Entry;

/** So many columns of integers. */
const many = (n: number): Column[] =>
  Array.from({ length: n }, (_, i) => column(`column_${i}`, { type: 'integer', kind: 'integer' }));

const TYPED = tableOf([
  column('id', { type: 'integer', kind: 'integer', nullable: false }),
  column('price', { type: 'numeric(10,2)', kind: 'number' }),
  column('ratio', { type: 'double precision', kind: 'number' }),
  column('name', { type: 'character varying(20)' }),
  column('code', { type: 'character(3)' }),
  column('at', { type: 'timestamp(3) with time zone', kind: 'date-time' }),
  column('local', { type: 'timestamp without time zone', kind: 'date-time' }),
  column('tags', { type: 'text[]', kind: 'array' }),
  column('mood', { type: 'mood', kind: 'enum', labels: ['sad', 'glad'] }),
  column('__proto__'),
  column('say "hi"\n', { description: 'Said\nat the door' }),
]);

t.test('the entry', (t) => {
  t.strictSame(entryOf(TYPED), {
    name: 'select_main_public_item',
    description:
      'Rows of the table public.item in the database main. Columns: id integer, price numeric(10,2), ratio float8, name varchar(20), code char(3), at timestamptz(3), local timestamp, tags text[], mood mood (sad|glad), __proto__ text, say "hi" text. Arguments as in select_table.',
    inputSchema: {
      type: 'object',
      properties: {
        columns: {
          type: 'array',
          items: { type: 'string', enum: TYPED.columns.map(({ name }) => name) },
        },
        filters: { type: 'object' },
        order_by: { type: 'array', items: { type: 'string' } },
        limit: { type: 'integer' },
        offset: { type: 'integer' },
        total: { type: 'boolean' },
        include: { type: 'object' },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  });
  const dotted = JSON.parse(tableTool('x', tableOf(many(200)), 'dotted')) as Entry;
  t.match(dotted.description, /service\.describe_table.*service\.select_table\.$/);
  t.end();
});

for (const [version, ajv] of [
  ['draft-07', new Ajv({ strict: true, allowUnionTypes: false })],
  ['2020-12', new Ajv2020({ strict: true })],
] as const)
  t.test(`the schema, as ${version}`, (t) => {
    const isValid = ajv.compile(entryOf(TYPED).inputSchema);
    for (const args of [
      {},
      { columns: ['id', '__proto__'], order_by: ['-id'], limit: 1, offset: 0 },
      { filters: { id: [1, 2], name: null, at: { '>': '2024-01-01' } } },
    ])
      t.ok(isValid(args), JSON.stringify(args));
    for (const args of [{ columns: ['other'] }, { columns: 'id' }, { filters: [] }, { limit: '5' }])
      t.notOk(isValid(args), JSON.stringify(args));
    t.end();
  });

t.test('comments become sentences on one line, shortened', (t) => {
  const cases: [comment: string, expected: string][] = [
    ['What we sell', ' What we sell. Columns:'],
    ['What we sell.', ' What we sell. Columns:'],
    [' a\r\n\tb\u0000\u001b[31mc\u202ed\u200be ', ' a b [31mc d e. Columns:'],
    ['', 'main. Columns:'],
    ['x'.repeat(201), ` ${'x'.repeat(199)}… Columns:`],
    [`${'x'.repeat(198)}😀yz`, ` ${'x'.repeat(198)}… Columns:`],
  ];
  for (const [comment, expected] of cases) {
    const { description } = entryOf(tableOf([column('id')], { description: comment }));
    t.ok(description.includes(expected), `${JSON.stringify(comment)}: ${description}`);
  }
  t.end();
});

t.test('an entry is short whatever the table', (t) => {
  const labels = Array.from({ length: 100 }, (_, i) => `label ${i}`);
  const cases: [what: string, table: Table, description: RegExp, listed: boolean][] = [
    ['14 columns', tableOf(many(14)), /column_0 integer, .*column_13 integer\. Arguments/, true],
    ['22 columns', tableOf(many(22)), /column_0 integer, .*column_21 integer\. Arguments/, false],
    [
      '1,600 columns',
      tableOf(many(1_600)),
      /column_0 integer, .* integer and \d{4} more\. describe_table has all\. Arguments/,
      false,
    ],
    ['long labels', tableOf([column('a', { type: 'e', labels })]), /Columns: a e\. /, true],
    [
      'long names, a long comment, characters that JSON escapes',
      tableOf(
        many(100).map((one) => ({ ...one, name: `${one.name}${'"\\'.repeat(30)}` })),
        { description: '"'.repeat(500), name: '\\'.repeat(63) },
      ),
      /(?:and \d+ more|Columns: 100 columns)\. describe_table has all\./,
      false,
    ],
  ];
  for (const [what, table, description, listed] of cases) {
    const json = jsonOf(table);
    t.ok(json.length <= MOST, `${what}: ${json.length} characters`);
    const entry = entryOf(table);
    t.match(entry.description, description, what);
    t.equal(JSON.stringify(entry.inputSchema).includes('enum'), listed, what);
  }
  t.end();
});
