/**
 * What every client must get from the shop, whatever its library, protocol era and transport: all tools, rows, errors to
 * learn from, results of megabytes, and descriptions of tables as resources.
 */
import type { Test } from 'tap';
import { BULK, NOTE, NOTES, QUOTES } from './shop.js';

export interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

export interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string | undefined;
}

export interface ResourceText {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string;
}

/** Reader is a connected client. */
export interface Reader {
  /** tools lists the tools of all pages. */
  tools(): Promise<readonly Tool[]>;
  /** call calls a tool; rejects with what the client's library makes of an error of the protocol. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Result>;
  /** resources lists the resources of all pages. */
  resources(): Promise<readonly Resource[]>;
  /** templates lists the templates of URIs. */
  templates(): Promise<readonly string[]>;
  /** read reads a resource; rejects with what the client's library makes of an error of the protocol. */
  read(uri: string): Promise<readonly ResourceText[]>;
}

const GENERIC = [
  'list_databases',
  'list_schemas',
  'list_tables',
  'describe_table',
  'select_table',
  'aggregate_table',
];
const ORDERS = { schema: 'public', table: 'orders' };

/** Tool, arguments, and what the structured content holds besides other things. */
const READS: readonly (readonly [string, Record<string, unknown>, object])[] = [
  ['list_databases', {}, { databases: [{ name: 'postgres' }] }],
  ['list_schemas', {}, { schemas: [{ schema_name: 'bulk' }, { schema_name: 'public' }] }],
  [
    'describe_table',
    ORDERS,
    {
      ...ORDERS,
      count: 6,
      columns: [{ name: 'id', nullable: false, position: 1 }, { name: 'customer' }],
    },
  ],
  [
    'select_table',
    { ...ORDERS, columns: ['id', 'total'], filters: { id: [1, 2] }, order_by: ['-id'] },
    {
      rows: [
        { id: 2, total: 2.5 },
        { id: 1, total: 1.25 },
      ],
      count: 2,
    },
  ],
  [
    'select.postgres.public.orders',
    { order_by: ['id'], limit: 1, offset: 3 },
    {
      rows: [
        { id: 4, customer: 'customer 4', placed: null, tags: ['a', 'b'], detail: { gift: true } },
      ],
    },
  ],
  [
    'select.postgres.public.orders',
    { order_by: ['id'] },
    { count: 100, truncated: true, next_offset: 100 },
  ],
  ['select.postgres.public.first_orders', {}, { count: 3 }],
  [
    'select_table',
    { schema: 'public', table: 'Odd "name".€', filters: { select: 1 } },
    { rows: [{ select: 1, 'a.b': 'one' }] },
  ],
  [
    'select_table',
    { schema: 'public', table: 'doubled_notes' },
    { truncated: true, next_offset: Number, notice: /^Not everything fitted / },
  ],
  [
    'aggregate_table',
    { ...ORDERS, group_by: ['tags'], aggregates: [{ function: 'max', column: 'total' }] },
    { rows: [{ tags: ['a', 'b'], max_total: 312.5 }], count: 1 },
  ],
];

/** Tool, arguments, and words of the message. */
const MISTAKES: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ['describe_table', { schema: 'public' }, /table is required/],
  ['select_table', { ...ORDERS, filter: { id: 1 } }, /filters/],
  ['select_table', { ...ORDERS, columns: ['nope'] }, /nope/],
  ['select_table', { ...ORDERS, limit: 'many' }, /limit/],
  ['select_table', { schema: 'public', table: 'nothing' }, /permission denied/],
  ['select_table', { ...ORDERS, filters: { id: 'one' } }, /./],
];

/** readsTheShop checks what a reader of the open endpoint gets. */
export async function readsTheShop(t: Test, reader: Reader): Promise<void> {
  const tools = await reader.tools();
  const names = tools.map(({ name }) => name);
  t.strictSame(
    names.slice(0, GENERIC.length),
    GENERIC.map((name) => `service.${name}`),
    'the tools for any table come first',
  );
  t.equal(names.filter((name) => name.startsWith('service.select.postgres.bulk.')).length, BULK);
  t.equal(new Set(names).size, names.length, 'no tool comes twice');
  t.ok(tools.every((tool) => tool.annotations?.readOnlyHint === true && tool.description));

  for (const [tool, args, expected] of READS) {
    const { content, structuredContent, isError } = await reader.call(`service.${tool}`, args);
    const title = `${tool} ${JSON.stringify(args)}`;
    t.not(isError, true, title);
    t.match(structuredContent, expected, title);
    t.strictSame(JSON.parse(content[0]?.text ?? ''), structuredContent, 'the text says the same');
  }
  const listed = await reader.call('service.list_tables', { schema: 'public' });
  const { tables } = listed.structuredContent as { tables: { name: string; type: string }[] };
  t.strictSame(tables.map(({ name, type }) => `${type} ${name}`).sort(), [
    'table Odd "name".€',
    'table notes',
    'table orders',
    'table quotes',
    'view doubled_notes',
    'view first_orders',
  ]);
  for (const [tool, args, message] of MISTAKES) {
    const { content, isError } = await reader.call(`service.${tool}`, args);
    const title = `${tool} ${JSON.stringify(args)}`;
    t.equal(isError, true, title);
    t.match(content[0]?.text, message, title);
  }

  for (const [table, text] of Object.entries({ notes: NOTE, quotes: '"'.repeat(QUOTES) })) {
    const large = await reader.call(`service.select.postgres.public.${table}`);
    const { rows } = large.structuredContent as { rows: { body: string }[] };
    t.equal(rows.length, NOTES);
    t.ok(
      rows.every(({ body }) => body === text),
      `megabytes of ${table}`,
    );
  }
}

/** readsDescriptions checks the resources that a reader of the open endpoint gets. */
export async function readsDescriptions(t: Test, reader: Reader): Promise<void> {
  const resources = await reader.resources();
  const uris = resources.map(({ uri }) => uri);
  t.equal(uris.filter((uri) => uri.startsWith('service://postgres/bulk/')).length, BULK);
  t.strictSame(
    uris.filter((uri) => !uri.includes('/bulk/')),
    [
      'Odd%20%22name%22.%E2%82%AC',
      'doubled_notes',
      'first_orders',
      'notes',
      'orders',
      'quotes',
    ].map((name) => `service://postgres/public/${name}`),
  );
  t.equal(new Set(uris).size, uris.length, 'no resource comes twice');
  t.ok(resources.every(({ mimeType }) => mimeType === 'application/json'));
  t.strictSame(await reader.templates(), ['service://{database}/{schema}/{table}']);
  for (const [table, path] of [
    ['orders', 'orders'],
    ['Odd "name".€', 'Odd%20%22name%22.%E2%82%AC'],
  ] as const) {
    const uri = `service://postgres/public/${path}`;
    const described = await reader.call('service.describe_table', { schema: 'public', table });
    const text = described.content[0]!.text!;
    t.strictSame(await reader.read(uri), [{ uri, mimeType: 'application/json', text }]);
  }
}

/** readsItsShare checks what a reader with a token gets from the guarded endpoint. */
export async function readsItsShare(t: Test, reader: Reader): Promise<void> {
  const names = (await reader.tools()).map(({ name }) => name);
  t.strictSame(
    names,
    GENERIC.slice(1).map((name) => `service.${name}`),
    'with a listing hidden, neither its tool nor tools of single tables are offered',
  );
  const orders = await reader.call('service.select_table', { ...ORDERS, filters: { id: 1 } });
  t.match(orders.structuredContent, { rows: [{ id: 1, customer: 'customer 1' }] });
  const notes = await reader.call('service.select_table', { schema: 'public', table: 'notes' });
  t.equal(notes.isError, true);
  t.match(notes.content[0]?.text, /permission denied/);
  t.strictSame(await reader.resources(), [], 'nor are resources listed');
  const [{ text } = {}] = await reader.read('service://postgres/public/orders');
  t.match(JSON.parse(text!), { columns: [{ name: 'id' }, { name: 'customer' }], count: 2 });
  await t.rejects(reader.read('service://postgres/public/notes'), /no such resource/);
  const totals = await reader.call('service.select_table', { ...ORDERS, columns: ['total'] });
  t.equal(totals.isError, true);
}
