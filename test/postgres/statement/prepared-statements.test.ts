/** Which statements are prepared, and for how long, as PostgreSQL lists them. */
import t from 'tap';
import {
  jsonFrame,
  StatementBuilder,
  type ScriptStatement,
} from '#app/script/statement/statement.js';
import { startPostgres } from '../../support/postgres.js';
import { describe, TestDatabase } from '../../support/database.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE items (id serial PRIMARY KEY, name text)',
});
const NAMES = `SELECT string_agg(statement, ';' ORDER BY statement) FROM pg_prepared_statements`;
const NOTHING = 'affected 0';

const recurring = (sql: string) => ({ sql, recurs: true });

t.test('a text is prepared from its second use on', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const builder = new StatementBuilder(jsonFrame('json_agg', 1000));
  const read = async (text: string): Promise<ScriptStatement> => {
    const statement = builder.build('read', text, 'folder/script');
    t.equal(describe(await db.read(statement, { values: ['a'] })), '[{"a":"a"}]');
    return statement;
  };
  const { sql } = await read('SELECT $1::text AS a');
  await read('SELECT $1::text AS "a"');
  t.equal(describe(await db.read(NAMES)), NOTHING);
  await read('SELECT $1::text AS a');
  t.equal(describe(await db.read(NAMES)), sql);
  await read('SELECT $1::text AS a');
  t.equal(describe(await db.read(NAMES)), sql);
});

t.test('each connection prepares a recurring text on its first use', async (t) => {
  const statement = recurring('SELECT $1::text');
  for (let i = 0; i < 2; i++) {
    const db = new TestDatabase(t, server, { connections: 1 });
    t.equal(describe(await db.read({ ...statement, recurs: false }, { values: ['a'] })), 'a');
    t.equal(describe(await db.read(NAMES)), NOTHING);
    t.equal(describe(await db.read(statement, { values: ['b'] })), 'b');
    t.equal(describe(await db.read(NAMES)), statement.sql);
  }
});

t.test('nothing is prepared where it is disabled', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, prepared: false });
  const statement = recurring('SELECT $1::text');
  for (const value of ['a', 'b', 'c'])
    t.equal(describe(await db.read(statement, { values: [value] })), value);
  t.equal(describe(await db.read(NAMES)), NOTHING);
});

t.test('the number of prepared statements is bounded', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  await Promise.all(
    Array.from({ length: 1000 }, async (_, i) => {
      const statement = recurring(`SELECT ${i}`);
      t.equal(describe(await db.read(statement)), String(i));
      t.equal(describe(await db.read(statement)), String(i));
    }),
  );
  const count = Number(describe(await db.read('SELECT count(*) FROM pg_prepared_statements')));
  t.ok(count > 100 && count <= 200, `${count} prepared`);
});

/** A text with that many words and symbols. */
const text = (n: number, tokens: number): string => `SELECT ${n}${'+0'.repeat((tokens - 2) / 2)}`;

t.test('prepared texts are bounded in words and symbols, and one may evict several', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const prepared = async (): Promise<number[]> =>
    (
      JSON.parse(
        describe(
          await db.read(
            `SELECT json_agg(substring(statement, 'SELECT (\\d+)')::int) FROM pg_prepared_statements`,
          ),
        ),
      ) as number[]
    ).sort((a, b) => a - b);
  const ask = async (n: number, tokens: number): Promise<void> => {
    const statement = recurring(text(n, tokens));
    t.equal(describe(await db.read(statement)), String(n));
  };
  await ask(1, 4096);
  await ask(2, 4094);
  t.same(await prepared(), [2], 'a long one is not prepared');
  for (let n = 100; n < 120; n++) await ask(n, 1000);
  t.equal((await prepared()).length, 21);
  // Full: one in sixteen is prepared, and evicts the least recently used ones.
  for (let n = 200; n < 216; n++) await ask(n, 4000);
  const now = await prepared();
  t.notOk(now.includes(2));
  t.equal(now.filter((n) => n >= 200).length, 1);
  t.ok(now.includes(119));
});

t.test('a text that cannot be prepared fails each time', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const statement = recurring('SELECT * FROM nowhere');
  for (let i = 0; i < 3; i++) t.equal(describe(await db.read(statement)), '42P01');
  const together = await Promise.all(Array.from({ length: 4 }, () => db.read(statement)));
  t.strictSame(new Set(together.map(describe)), new Set(['42P01']), 'in one pipeline too');
  await server.sql('CREATE TABLE nowhere (a int)');
  t.equal(describe(await db.write(statement)), '[]', 'and works once its table exists');
});

t.test('a stale plan is made again, and the statement runs once', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const statement = recurring(`INSERT INTO items (name) VALUES ($1) RETURNING *`);
  for (const name of ['a', 'b', 'c']) await db.write(statement, { values: [name] });
  await server.sql('ALTER TABLE items ADD COLUMN extra int DEFAULT 5');
  const outcomes = await Promise.all(
    ['d', 'e', 'f'].map((name) => db.write(statement, { values: [name] })),
  );
  t.strictSame(outcomes.map(describe), ['[["4","d","5"]]', '[["5","e","5"]]', '[["6","f","5"]]']);
  t.equal((await server.sql('SELECT 1 FROM items')).length, 6);
});
