/** The arguments of scripts as tools with a proof of their text, and without one. */
import t from 'tap';
import { NOTHING_SHOWN, type ProofRecord, type RecordedParameter } from '#app/messages/proofs.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { proofsOf, servedProof } from '../prove-scripts.js';
import { callWith } from '../tested-call.js';
import { TestedScripts, type Entry } from '../tested-scripts.js';

const server = await startPostgres(t, {
  setup: `CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE TABLE items (
      id int PRIMARY KEY, name text NOT NULL, price numeric, weight float8, big bigint, tags text[], at timestamptz,
      day date, mood mood, detail jsonb, code uuid, sold boolean
    );
    INSERT INTO items SELECT i, 'item ' || i, i * 1.5, i / 2.0, i, ARRAY['t' || i % 2], '2024-01-01Z', '2024-01-01', 'ok',
      jsonb_build_object('n', i, 'list', ARRAY[i]), NULL, i > 2 FROM generate_series(1, 4) i;`,
});
const { database } = new TestDatabase(t, server);

const WHERE = 'SELECT id FROM items WHERE';
const TEXTS: Readonly<Record<string, string>> = {
  's/one': `${WHERE} id = {{sqlVal "id"}}`,
  's/either': `${WHERE} {{if isSet "id"}}id = {{sqlVal "id"}}{{else}}name = {{sqlVal "name"}}{{end}}`,
  's/needed': `${WHERE} {{if isSet "id"}}id = {{sqlVal "id"}}{{else if isSet "name"}}name = {{sqlVal "name"}}{{end}}`,
  's/name': '{{$key := print "i" "d"}}SELECT id FROM items WHERE id = {{sqlVal $key}}',
  's/ident': 'SELECT count({{$key := print "b" "y"}}{{ident $key}}) AS n FROM items',
  's/big': `${WHERE} big = {{sqlVal "x"}}`,
  's/price': `${WHERE} price = {{sqlVal "x"}}`,
  's/weight': `${WHERE} weight = {{sqlVal "x"}}`,
  's/sold': `${WHERE} sold = {{sqlVal "x"}} ORDER BY 1`,
  's/at': `${WHERE} at > {{sqlVal "x"}} ORDER BY 1 LIMIT 1`,
  's/day': `${WHERE} day = {{sqlVal "x"}} ORDER BY 1 LIMIT 1`,
  's/code': `${WHERE} code = {{sqlVal "x"}}`,
  's/mood': `${WHERE} mood = {{sqlVal "x"}} ORDER BY 1 LIMIT 1`,
  's/moods': `${WHERE} mood = ANY ({{sqlVal "x"}}) ORDER BY 1 LIMIT 1`,
  's/temper': `${WHERE} {{if ne .x "any"}}mood = {{sqlVal "x"}}{{else}}true{{end}} ORDER BY 1 LIMIT 1`,
  's/detail': `${WHERE} detail @> {{sqlVal "x"}}`,
  's/tags': `${WHERE} tags && {{sqlVal "x"}} ORDER BY 1 LIMIT 1`,
  's/ids': `${WHERE} id IN {{sqlList "x"}} ORDER BY 1`,
  's/any': `${WHERE} id = ANY ({{sqlVal "x"}}) ORDER BY 1`,
  's/both': `${WHERE} {{if isSet "n"}}id = {{sqlVal "x"}}{{else}}name = {{sqlVal "x"}}{{end}}`,
  's/some': `${WHERE} {{if isSet "n"}}id = {{sqlVal "x"}}{{else}}id = ANY ({{sqlVal "x"}}::int[]){{end}} ORDER BY 1`,
  's/all': `${WHERE} true ORDER BY 1 {{if eq .x "all"}}{{else}}LIMIT {{sqlVal "x"}}{{end}}`,
  's/blank': `${WHERE} true {{if .x}}AND id = {{sqlVal "x"}}{{end}} ORDER BY 1 LIMIT 1`,
  's/declared': `-- @param x text\n${WHERE} id = {{sqlVal "x"}}::int`,
  's/by': '-- @param by enum(id, name)\nSELECT id FROM items ORDER BY {{.by}} LIMIT 1',
  's/open': `${WHERE} id = {{sqlVal "x"}} ORDER BY {{.by}}`,
  's/text': `${WHERE} name = '{{.x}}' OR id = {{sqlVal "x"}}`,
};

const bare = new TestedScripts(t, server, { texts: TEXTS });
const proved = new TestedScripts(t, server, { texts: TEXTS });
const proofs = await proofsOf(database, TEXTS);
proved.proofs.apply({ proofs, gone: [], complete: true });

function rows(...ids: number[]): string {
  return `{"rows":[${ids.map((id) => `{"id":${id}}`).join(',')}],"count":${ids.length}}`;
}

t.test('either one parameter or the other', async (t) => {
  for (const [about, scripts] of Object.entries({ bare, proved }))
    for (const script of ['s/either', 's/needed']) {
      const { inputSchema } = await scripts.entry(script);
      t.strictSame(Object.keys(inputSchema.properties), ['id', 'name'], about);
      t.equal(inputSchema.required, undefined, about);
      t.equal(await scripts.run(script, { id: 3 }), rows(3), `${about}: by id`);
      t.equal(await scripts.run(script, { name: 'item 2' }), rows(2), `${about}: by name`);
    }
  t.strictSame((await proved.entry('s/needed')).inputSchema.properties, {
    id: { type: 'integer', description: 'Needed when `name` is not sent.' },
    name: { type: 'string', description: 'Needed when `id` is not sent.' },
  });
});

t.test('what every path needs is required', async (t) => {
  for (const scripts of [bare, proved]) {
    t.strictSame((await scripts.entry('s/one')).inputSchema.required, ['id']);
    t.match(await scripts.run('s/one'), /^error: missing: id/);
  }
  const { inputSchema } = await proved.entry('s/ident');
  t.strictSame(inputSchema.required, undefined, 'not where the proof is open');
  t.equal((await bare.entry('s/by')).inputSchema.required, undefined, 'declared');
  t.strictSame((await proved.entry('s/by')).inputSchema.required, ['by'], 'declared and proved');
  t.strictSame((await proved.entry('s/open')).inputSchema.required, ['x', 'by']);
});

t.test('a name that the template computes', async (t) => {
  t.strictSame((await bare.entry('s/name')).inputSchema, { type: 'object', properties: {} });
  t.strictSame((await proved.entry('s/name')).inputSchema, {
    type: 'object',
    properties: { id: { type: 'integer' } },
  });
  t.equal(await proved.run('s/name', { id: 2 }), rows(2));
});

const JSON_VALUE = {
  anyOf: [
    { type: 'object' },
    {
      type: 'array',
      items: {
        anyOf: [{ type: 'object' }, { type: 'string' }, { type: 'number' }, { type: 'boolean' }],
      },
    },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'string' },
  ],
};
const SEVERAL = { type: 'array', minItems: 1 };

t.test('types', async (t) => {
  const cases: [script: string, schema: object][] = [
    ['one', { type: 'integer' }],
    ['big', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['price', { anyOf: [{ type: 'number' }, { type: 'string' }] }],
    ['weight', { type: 'number' }],
    ['sold', { type: 'boolean' }],
    ['at', { type: 'string', format: 'date-time', description: 'Of the SQL type timestamp with time zone.' }], // prettier-ignore
    ['day', { type: 'string', description: 'Of the SQL type date.' }],
    ['code', { type: 'string', description: 'Of the SQL type uuid.' }],
    ['mood', { type: 'string', enum: ['sad', 'ok'], description: 'Of the SQL type mood.' }],
    ['moods', { ...SEVERAL, items: { type: 'string', enum: ['sad', 'ok'] }, description: 'Each of the SQL type mood.' }], // prettier-ignore
    ['temper', { type: 'string', description: 'Of the SQL type mood. Known values: "any".' }],
    ['detail', JSON_VALUE],
    ['tags', { ...SEVERAL, items: { type: 'string' } }],
    ['ids', { ...SEVERAL, items: { type: 'integer' } }],
    ['any', { ...SEVERAL, items: { type: 'integer' } }],
    ['both', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['some', { ...SEVERAL, items: { type: 'integer' } }],
    ['all', { anyOf: [{ type: 'integer' }, { type: 'string' }], description: 'Of the SQL type bigint. Known values: "all".' }], // prettier-ignore
    ['declared', { type: 'string', description: 'Must be a text.' }],
    ['open', { anyOf: [{ type: 'integer' }, { type: 'string' }], description: 'Of the SQL type integer.' }], // prettier-ignore
    ['text', { type: 'string', description: 'Letters, digits, spaces and _ . : @ / \\ - only.' }],
  ];
  for (const [script, schema] of cases) {
    const { properties } = (await proved.entry(`s/${script}`)).inputSchema;
    t.strictSame(properties['x'] ?? properties['id'], schema, script);
  }
});

t.test('calls', async (t) => {
  const cases: [script: string, args: Record<string, unknown>, expected: string | RegExp][] = [
    ['one', { id: '3' }, rows(3)],
    ['one', { id: ' 3' }, rows(3)],
    ['one', { id: 'three' }, 'error: id must be a whole number, not "three".'],
    ['one', { id: 1.5 }, 'error: id must be a whole number, not 1.5.'],
    ['big', { x: '9223372036854775807' }, rows()],
    ['big', { x: 9007199254740993 }, /^error: x is too large for a JSON number/],
    ['price', { x: 1.5 }, rows(1)],
    ['price', { x: '1.50' }, rows(1)],
    ['price', { x: 0.12345678901234568 }, /^error: x has more digits than a JSON number keeps/],
    ['price', { x: -123456789012345.5 }, /^error: x has more digits/],
    ['price', { x: 12345678901234.5 }, rows()],
    ['price', { x: '0.1234567890123456789' }, rows()],
    ['price', { x: Infinity }, /^error: x is too large for a JSON number/],
    ['weight', { x: 0.5 }, rows(1)],
    ['weight', { x: 0.1 + 0.2 }, rows()],
    ['weight', { x: 1e300 }, rows()],
    ['sold', { x: true }, rows(3, 4)],
    ['sold', { x: 'no' }, rows(1, 2)],
    ['at', { x: '2023-12-31' }, rows(1)],
    ['day', { x: '2024-01-01' }, rows(1)],
    ['day', { x: 'soon' }, 'error: the value of x is not valid for its type.'],
    ['mood', { x: 'ok' }, rows(1)],
    ['detail', { x: { n: 2 } }, rows(2)],
    ['detail', { x: '{"n": 2}' }, rows(2)],
    ['detail', { x: { list: [3] } }, rows(3)],
    ['detail', { x: [1, 2] }, rows()],
    ['detail', { x: 7 }, rows()],
    ['detail', { x: { n: 9007199254740993 } }, /^error: x is too large/],
    ['detail', { x: { a: '\0' } }, /^error: /],
    ['tags', { x: ['t0'] }, rows(2)],
    ['tags', { x: 't0' }, rows(2)],
    ['tags', { x: '{t0,zz}' }, rows(2)],
    ['ids', { x: [1, '3'] }, rows(1, 3)],
    ['ids', { x: 1 }, rows(1)],
    ['ids', { x: ['one'] }, /^error: x must be a whole number/],
    ['any', { x: [1, 3] }, rows(1, 3)],
    ['both', { x: 'item 2' }, rows(2)],
    ['both', { x: 2, n: true }, rows(2)],
    ['all', { x: 'all' }, rows(1, 2, 3, 4)],
    ['all', { x: 2 }, rows(1, 2)],
    ['blank', { x: '' }, rows(1)],
    ['declared', { x: 2 }, rows(2)],
    ['open', { x: 2, by: 'id' }, rows(2)],
    ['text', { x: '2' }, rows(2)],
  ];
  for (const [script, args, expected] of cases) {
    const text = await proved.run(`s/${script}`, args);
    const label = `${script} ${JSON.stringify(args)}`;
    if (typeof expected === 'string') t.equal(text, expected, label);
    else t.match(text, expected, label);
  }
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  t.equal(await proved.run('s/detail', { x: deep }), 'error: x is nested too deeply.');
});

function parameter(name: string, members: Partial<RecordedParameter>): RecordedParameter {
  const usual = { required: false, neededWhen: undefined, types: [], list: false, values: [] };
  return { name, ...usual, ...members };
}

function record(parameters: readonly RecordedParameter[]): ProofRecord {
  const counts = { combinations: 1, texts: 1, statements: 1 };
  const columns = [[{ name: 'id', type: 'integer', nullable: false }]];
  return { ...NOTHING_SHOWN, verdict: 'proved', parameters, columns, ...counts };
}

t.test('tools are made anew when their proof changes, and only then', async (t) => {
  const texts = { 's/a': `${WHERE} id = {{sqlVal "x"}}`, 's/b': 'SELECT 1 AS b' };
  const scripts = new TestedScripts(t, server, { texts, aliases: ['main', 'other'] });
  const list = () => scripts.tools.list(callWith({}));
  const typed = (type: string) => record([parameter('x', { types: [type] })]);
  const news = (...proofs: ReturnType<typeof servedProof>[]) =>
    scripts.proofs.apply({ proofs, gone: [], complete: false });
  const typeOf = async (): Promise<unknown> =>
    (await scripts.entry('s/a')).inputSchema.properties['x']!['type'];

  const before = await list();
  t.equal(await typeOf(), 'string');
  news(servedProof('s/a', 'SELECT 1', typed('integer')));
  t.equal(await list(), before, 'the proof of another text');
  news(servedProof('s/a', texts['s/a'], typed('integer'), 'third'));
  t.equal(await list(), before, 'the proof on another database');
  news(servedProof('s/c', texts['s/a'], typed('integer')));
  t.equal(await list(), before, 'the proof of another script');
  const verb = { ...servedProof('s/a', texts['s/a'], typed('integer')), verb: 'write' };
  news(verb);
  t.equal(await list(), before, 'the proof of another verb');

  const good = servedProof('s/a', texts['s/a'], typed('integer'));
  news(good);
  const after = await list();
  t.equal(await typeOf(), 'integer');
  t.ok((await scripts.entry('s/a')).outputSchema);
  t.strictSame(
    after.map((tool, i) => tool === before[i]),
    [false, true, true, true],
  );
  news(servedProof('s/a', texts['s/a'], typed('boolean')));
  t.equal(await typeOf(), 'boolean');
  scripts.proofs.apply({ proofs: [], gone: [good], complete: true });
  t.equal(await typeOf(), 'string');
  t.equal((await scripts.entry('s/a')).outputSchema, undefined);
});

t.test('the list stays small', async (t) => {
  const lengthOf = async (scripts: TestedScripts): Promise<number> =>
    JSON.stringify(await scripts.list()).length;
  const one = await bare.entry('s/one');
  const other: Entry = await proved.entry('s/one');
  t.ok(JSON.stringify(other).length - JSON.stringify(one).length < 320);
  t.ok((await lengthOf(proved)) < 2 * (await lengthOf(bare)));
});
