/** The generic tools: which are listed, in which order, and what their schemas accept. */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { genericTools } from '#app/mcp/tools/generic-tools.js';
import type { McpSettings } from '#app/messages/worker-settings.js';
import { mcpSettings } from '../tested-catalog.js';

const names = (settings: Partial<McpSettings> = {}): string[] =>
  genericTools(mcpSettings([], settings), settings.toolNames ?? 'dotted').map(({ name }) => name);

const SHOWN = { databases: true, schemas: true, tables: true };

t.test('hidden listings are left out', (t) => {
  const all = [
    'list_databases',
    'list_schemas',
    'list_tables',
    'describe_table',
    'select_table',
    'aggregate_table',
  ];
  const without = (...hidden: string[]): string[] =>
    all.filter((name) => !hidden.includes(name)).map((name) => `service.${name}`);
  t.strictSame(names(), without());
  t.strictSame(names({ expose: { ...SHOWN, databases: false } }), without('list_databases'));
  t.strictSame(names({ expose: { ...SHOWN, schemas: false } }), without('list_schemas'));
  t.strictSame(names({ expose: { ...SHOWN, tables: false } }), without('list_tables'));
  t.strictSame(names({ expose: { databases: false, schemas: false, tables: false } }), [
    'service.describe_table',
    'service.select_table',
    'service.aggregate_table',
  ]);
  t.end();
});

t.test('plain names', (t) => {
  t.strictSame(names({ toolNames: 'plain' }), [
    'list_databases',
    'list_schemas',
    'list_tables',
    'describe_table',
    'select_table',
    'aggregate_table',
  ]);
  t.end();
});

const ARGUMENTS: Record<string, { readonly taken: object[]; readonly refused: object[] }> = {
  'service.list_databases': { taken: [{}], refused: [{ database: 'a' }] },
  'service.list_schemas': {
    taken: [{}, { database: 'a' }, { limit: 1, offset: 0 }],
    refused: [{ database: 1 }, { schema: 'a' }, { limit: 0 }],
  },
  'service.list_tables': {
    taken: [{}, { database: 'a', schema: 'b' }, { limit: 1_000 }, { search: 'b', verbose: true }],
    refused: [{ schema: null }, { table: 'a' }, { limit: 1_001 }, { offset: -1 }],
  },
  'service.describe_table': {
    taken: [
      { table: 'b' },
      { schema: 'a', table: 'b', verbose: true },
      { database: 'c', schema: 'a', table: 'b' },
    ],
    refused: [{}, { schema: 'a' }, { schema: 'a', table: 'b', limit: 1 }],
  },
  'service.select_table': {
    taken: [
      { table: 'b' },
      { schema: 'a', table: 'b' },
      { schema: 'a', table: 'b', columns: ['c'], order_by: ['-c'], limit: 1, offset: 1 },
      { schema: 'a', table: 'b', filters: { a: 1, b: 'x', c: true, d: null, e: [1, 'x', false] } },
      { schema: 'a', table: 'b', filters: { a: { '>=': 1 } }, total: true },
      { schema: 'a', table: 'b', include: { c: ['d'], e: { columns: ['f'], limit: 5 } } },
    ],
    refused: [
      {},
      { schema: 'a' },
      { schema: 'a', table: 'b', filters: { a: [null] } },
      { schema: 'a', table: 'b', columns: ['c', 'c'] },
      { schema: 'a', table: 'b', limit: 101 },
      { schema: 'a', table: 'b', total: 1 },
      { schema: 'a', table: 'b', include: ['c'] },
      { schema: 'a', table: 'b', include: { c: { include: {} } } },
    ],
  },
  'service.aggregate_table': {
    taken: [
      { schema: 'a', table: 'b' },
      {
        schema: 'a',
        table: 'b',
        group_by: ['c', { column: 'd', by: 'month', time_zone: 'UTC', as: 'e' }],
        aggregates: [{ function: 'count' }, { function: 'sum', column: 'f', as: 'g' }],
        filters: { a: 1 },
        having: { count: { '>': 1 } },
        order_by: ['-count'],
        limit: 10,
        offset: 10,
      },
    ],
    refused: [
      { schema: 'a' },
      { schema: 'a', table: 'b', group_by: [{ by: 'month' }] },
      { schema: 'a', table: 'b', group_by: [{ column: 'c', by: 'fortnight' }] },
      { schema: 'a', table: 'b', aggregates: [{ function: 'string_agg', column: 'c' }] },
      { schema: 'a', table: 'b', columns: ['c'] },
      { schema: 'a', table: 'b', limit: 101 },
    ],
  },
};

for (const [version, ajv] of [
  ['draft-07', new Ajv({ strict: true })],
  ['2020-12', new Ajv2020({ strict: true })],
] as const)
  t.test(`schemas, as ${version}`, (t) => {
    for (const { name, json } of genericTools(mcpSettings([]), 'dotted')) {
      const entry = JSON.parse(json) as { name: string; inputSchema: object; annotations: object };
      t.equal(entry.name, name);
      t.match(entry.annotations, { readOnlyHint: true, openWorldHint: false });
      const isValid = ajv.compile(entry.inputSchema);
      const { taken, refused } = ARGUMENTS[name]!;
      for (const args of taken) t.ok(isValid(args), `${name} ${JSON.stringify(args)}`);
      for (const args of refused) t.notOk(isValid(args), `${name} ${JSON.stringify(args)}`);
    }
    t.end();
  });
