/** The tool of a table: its description, and what its schema accepts and rejects. */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { tableTool } from '#app/mcp/table-tool.js';
import type { Column, Table } from '#app/mcp/table.js';
import { column, tableOf } from './tested-table.js';

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations: Record<string, unknown>;
}
const entryOf = (table: Table): Entry =>
  JSON.parse(
    tableTool('service.select.main.public.item', table, 'service.describe_table'),
  ) as Entry;

/** So many columns of integers. */
const many = (n: number): Column[] =>
  Array.from({ length: n }, (_, i) => column(`column_${i}`, { type: 'integer', kind: 'integer' }));

const TYPED = tableOf([
  column('id', { type: 'integer', kind: 'integer', nullable: false }),
  column('big', { type: 'bigint', kind: 'integer' }),
  column('price', { type: 'numeric(10,2)', kind: 'number' }),
  column('ratio', { type: 'double precision', kind: 'number' }),
  column('name'),
  column('open', { type: 'boolean', kind: 'boolean' }),
  column('day', { type: 'date', kind: 'date' }),
  column('at', { type: 'timestamp with time zone', kind: 'date-time' }),
  column('local', { type: 'timestamp without time zone', kind: 'date-time' }),
  column('tags', { type: 'text[]', kind: 'array' }),
  column('mood', { type: 'mood', kind: 'enum', labels: ['sad', 'glad'] }),
  column('extra', { type: 'jsonb', kind: 'json' }),
  column('__proto__'),
  column('say "hi"', { description: 'Said\nat the door' }),
]);

const TAKEN: object[] = [
  {},
  { columns: [] },
  { columns: ['id', '__proto__', 'say "hi"'] },
  { order_by: ['-id', 'name', '-say "hi"'] },
  { limit: 1 },
  { limit: 100, offset: 0 },
  { offset: 2 ** 40 },
  { filters: {} },
  { filters: { id: 1 } },
  { filters: { id: [1, 2] } },
  { filters: { id: null, name: null, tags: null } },
  { filters: { big: '9223372036854775807', price: '0.1' } },
  { filters: { big: ['1', 2], price: 1.5 } },
  { filters: { open: true, ratio: 0.5 } },
  { filters: { day: '2024-02-29', at: '2024-02-29T12:00:00Z', local: '2024-02-29T12:00:00' } },
  { filters: { tags: ['a', 'b'] } },
  { filters: { tags: [] } },
  { filters: { tags: '{a,b}' } },
  { filters: { mood: 'sad' } },
  { filters: { mood: ['sad', 'glad'] } },
  { filters: { extra: '{"a":1}' } },
  JSON.parse('{"filters":{"__proto__":"a"}}') as object,
];

const REFUSED: object[] = [
  { other: 1 },
  { columns: 'id' },
  { columns: ['other'] },
  { columns: ['id', 'id'] },
  { order_by: ['--id'] },
  { limit: 0 },
  { limit: 101 },
  { limit: '5' },
  { offset: -1 },
  { offset: 0.5 },
  { filters: { other: 1 } },
  { filters: { id: 'x' } },
  { filters: { id: 1.5 } },
  { filters: { id: [] } },
  { filters: { name: [{ a: 1 }] } },
  { filters: { name: 1 } },
  { filters: { mood: 'angry' } },
  { filters: { mood: ['sad', 'angry'] } },
  { filters: { ratio: 'x' } },
  { filters: [] },
];

for (const [version, ajv] of [
  ['draft-07', new Ajv({ strict: true, allowUnionTypes: false, formats: { 'date-time': true } })],
  ['2020-12', new Ajv2020({ strict: true, formats: { 'date-time': true } })],
] as const)
  t.test(`the schema, as ${version}`, (t) => {
    const isValid = ajv.compile(entryOf(TYPED).inputSchema);
    for (const args of TAKEN) t.ok(isValid(args), JSON.stringify(args));
    for (const args of REFUSED) t.notOk(isValid(args), JSON.stringify(args));
    ajv.compile(entryOf(tableOf(many(1_600))).inputSchema);
    t.end();
  });

t.test('the description', (t) => {
  const { name, title, description, annotations, inputSchema } = entryOf(TYPED);
  t.equal(name, 'service.select.main.public.item');
  t.equal(title, 'Read public.item');
  t.match(
    description,
    /^Reads rows of the table public\.item in the database main\. Columns: id \(integer\), big \(bigint\), /,
  );
  t.match(description, /, say "hi" \(text\)\.$/);
  t.strictSame(annotations, {
    title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
  t.strictSame(Object.keys(inputSchema), ['type', 'properties', 'additionalProperties']);
  const { filters } = inputSchema['properties'] as {
    filters: { properties: Record<string, object> };
  };
  t.match(filters.properties['id'], { description: 'integer, never null' });
  t.match(filters.properties['say "hi"'], { description: 'text: Said at the door' });
  t.end();
});

t.test('comments become sentences on one line, shortened', (t) => {
  const cases: [comment: string, expected: string][] = [
    ['What we sell', ' What we sell. Columns:'],
    ['What we sell.', ' What we sell. Columns:'],
    [' a\r\n\tb\u0000\u001b[31mc\u202ed\u200be ', ' a b [31mc d e. Columns:'],
    ['', 'main. Columns:'],
    ['x'.repeat(501), ` ${'x'.repeat(499)}… Columns:`],
    [`${'x'.repeat(498)}😀yz`, ` ${'x'.repeat(498)}… Columns:`],
  ];
  for (const [comment, expected] of cases) {
    const { description } = entryOf(tableOf([column('id')], { description: comment }));
    t.ok(description.includes(expected), `${JSON.stringify(comment)}: ${description}`);
  }
  t.end();
});

t.test('tables with very many columns, and long lists of labels', (t) => {
  const cases: [what: string, columns: Column[], most: number, named: boolean][] = [
    ['100 columns', many(100), 32 << 10, true],
    ['101 columns', many(101), 4_000, false],
    ['1,600 columns', many(1_600), 4_000, false],
    [
      '100 columns with long names and comments',
      many(100).map((one) => ({
        ...one,
        name: one.name.padEnd(63, 'x'),
        description: 'y'.repeat(999),
      })),
      8_000,
      false,
    ],
    [
      'labels without end',
      [column('a', { kind: 'enum', labels: Array.from({ length: 100 }, (_, i) => `label ${i}`) })],
      4_000,
      true,
    ],
  ];
  for (const [what, columns, most, named] of cases) {
    const entry = entryOf(tableOf(columns));
    const size = JSON.stringify(entry).length;
    t.ok(size <= most, `${what}: ${size} characters`);
    t.equal(JSON.stringify(entry.inputSchema).includes(columns[0]!.name), named, what);
    const more = columns.length - 40;
    if (more > 0)
      t.ok(entry.description.endsWith(` and ${more} more: see service.describe_table.`));
    else t.notMatch(entry.description, / more: see/);
  }
  t.end();
});
