/** Nullability and dependencies of a whole script: of every form of its result, and of all its statements. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Database } from '#app/postgres/lanes/database.js';
import type { AnalysedRecord } from '#app/proof/branches/proof-record.js';
import { Prover, USUAL_LIMITS } from '#app/proof/branches/prover.js';
import { proveText } from '#app/proof/text-proof.js';
import { compileText } from '#app/script/script-text.js';
import type { Verb } from '#app/script/verb.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL, note text);
    CREATE TABLE books (id int PRIMARY KEY, author int NOT NULL REFERENCES authors, title text NOT NULL);
    CREATE FUNCTION price(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
    CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
    REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC`,
});
const { database } = new TestDatabase(t, server);
const PATIENCE = 250_000;

async function recorded(
  text: string,
  { verb = 'read', analysis = database }: { verb?: Verb; analysis?: Database | null } = {},
): Promise<AnalysedRecord> {
  const compiled = compileText(text, 'shop/script', verb);
  if (compiled instanceof ServiceError) throw compiled;
  const prover = new Prover(database, {
    aggregate: 'json_agg',
    maxResult: 32 << 20,
    limits: { ...USUAL_LIMITS, time: PATIENCE },
    patience: PATIENCE,
    analysis: analysis ?? undefined,
  });
  return (await proveText(prover, database, 'shop/script', compiled)).record;
}

/** The columns of each form, with `?` behind those that can be NULL. */
function formsOf({ columns }: AnalysedRecord): string[] {
  return columns.map((form) =>
    form.map(({ name, type, nullable }) => `${name} ${type}${nullable ? '?' : ''}`).join(', '),
  );
}

t.test('what cannot be analysed is nullable, and what it uses is not known', async (t) => {
  const script = 'SELECT id FROM books';
  const conninfo = `host=${server.host} port=${server.port} user=reader password=reader dbname=${server.database}`;
  const { database: reader } = new TestDatabase(t, server, { conninfo });
  const cases: [string, AnalysedRecord, nullable: boolean | undefined][] = [
    ['not asked for', await recorded(script, { analysis: null }), undefined],
    ['no right to make a temporary function', await recorded(script, { analysis: reader }), true],
  ];
  for (const [about, record, nullable] of cases) {
    t.equal(record.verdict, 'proved', about);
    t.strictSame(record.columns, [[{ name: 'id', type: 'integer', nullable }]], about);
    t.equal(record.relations, undefined, about);
    t.equal(record.volatility, undefined, about);
  }
  const many = `SELECT id FROM books WHERE true ${Array.from({ length: 6 }, (_, i) => `{{if isSet "p${i}"}} AND id > ${i}{{end}}`).join('')}`;
  const beyond = await recorded(many);
  t.equal(beyond.texts, 64);
  t.strictSame(formsOf(beyond), ['id integer?']);
  t.equal(beyond.relations, undefined);
  const utility = await recorded('TRUNCATE books', { verb: 'write' });
  t.equal(utility.relations, undefined);
});

const FORMS: readonly (readonly [verb: Verb, text: string, forms: readonly string[]])[] = [
  [
    'read',
    'SELECT id, title FROM books WHERE title = {{sqlVal "t"}}',
    ['id integer, title text'], //
  ],
  [
    'read',
    'SELECT b.title, a.name FROM books b {{if isSet "all"}}LEFT{{end}} JOIN authors a ON a.id = b.author AND a.note = {{sqlVal "n"}}',
    ['title text, name text?'],
  ],
  [
    'read',
    'SELECT id{{if isSet "full"}}, note{{end}} FROM authors',
    ['id integer, note text?', 'id integer'],
  ],
  ['write', 'INSERT INTO authors VALUES ({{sqlVal "id"}}, {{sqlVal "name"}}) RETURNING *', ['id integer, name text, note text?']], // prettier-ignore
  ['write', 'INSERT INTO authors VALUES ({{sqlVal "id"}}, {{sqlVal "name"}})', ['']],
  [
    'write',
    'DELETE FROM books; UPDATE authors SET note = {{sqlVal "note"}} RETURNING id, note',
    ['id integer, note text?'],
  ],
];

for (const [verb, text, forms] of FORMS)
  t.test(text, async (t) => t.strictSame(formsOf(await recorded(text, { verb })), forms));

t.test('what all branches and statements use', async (t) => {
  const reading = await recorded(
    'SELECT id FROM books {{if isSet "a"}}WHERE author = price({{sqlVal "a"}}){{end}}',
  );
  t.match(reading, {
    volatility: 'stable',
    readOnly: true,
    relations: [{ schema: 'public', name: 'books', direct: true, rights: [{ right: 'select', columns: ['author', 'id'] }] }], // prettier-ignore
    functions: [{ schema: 'public', name: 'price', arguments: 'integer' }],
    objects: [
      { type: 'function', identity: 'public.price(integer)' },
      { type: 'table column', identity: 'public.books.author' },
      { type: 'table column', identity: 'public.books.id' },
    ],
  });
  const changing = await recorded(
    'DELETE FROM books WHERE id = {{sqlVal "id"}}; UPDATE books SET title = {{sqlVal "title"}}; SELECT * FROM authors',
    { verb: 'write' },
  );
  t.match(changing, { volatility: 'volatile', readOnly: false });
  t.strictSame(
    changing.relations?.map(({ name, rights }) => [name, rights.map(({ right }) => right)]),
    [
      ['authors', ['select']],
      ['books', ['select', 'update', 'delete']],
    ],
  );
});

const WHEN: readonly (readonly [text: string, when: readonly (string | null)[]])[] = [
  ['SELECT id FROM books', ['']],
  ['SELECT id{{if isSet "t"}}, title{{end}} FROM books', ['t is not sent', 't is sent']],
  [
    `SELECT {{if eq .by "a"}}1 AS a{{else if eq .by "b"}}2 AS b{{else}}3 AS c{{end}}`,
    ['by is not "a" and by is not "b"', 'by is "a"', 'by is "b"'],
  ],
  [
    'SELECT id{{if and (isSet "t") (isSet "u")}}, title{{end}} FROM books',
    [null, 't is sent and u is sent'],
  ],
];

for (const [text, when] of WHEN)
  t.test(`when: ${text}`, async (t) => {
    const { columnsWhen } = await recorded(text);
    const found = columnsWhen.map(
      (conditions) => conditions?.map(({ name, says }) => `${name} ${says}`).join(' and ') ?? null,
    );
    t.strictSame(new Set(found), new Set(when));
  });
