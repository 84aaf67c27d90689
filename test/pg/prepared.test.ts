import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { describe, TestDatabase } from '../support/database.js';

const server = await startPostgres(t, {
  setup: 'CREATE TABLE items (id serial PRIMARY KEY, name text)',
});
const NAMES = `SELECT string_agg(statement, ';' ORDER BY statement) FROM pg_prepared_statements`;

t.test('a text is prepared when it comes a second time', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const statement = { sql: 'SELECT $1::text' };
  t.equal(describe(await db.read(statement, { values: ['a'] })), 'a');
  t.equal(describe(await db.read(NAMES)), 'affected 0');
  t.equal(describe(await db.read(statement, { values: ['b'] })), 'b');
  t.equal(describe(await db.read(statement, { values: ['c'] })), 'c');
  t.equal(describe(await db.read(NAMES)), statement.sql);
});

t.test('nothing is prepared where the pooler cannot', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1, prepared: false });
  const statement = { sql: 'SELECT $1::text' };
  for (const value of ['a', 'b', 'c'])
    t.equal(describe(await db.read(statement, { values: [value] })), value);
  t.equal(describe(await db.read(NAMES)), 'affected 0');
});

t.test('what is prepared is bounded on both sides', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  await Promise.all(
    Array.from({ length: 1000 }, async (_, i) => {
      const statement = { sql: `SELECT ${i}` };
      t.equal(describe(await db.read(statement)), String(i));
      t.equal(describe(await db.read(statement)), String(i));
    }),
  );
  const count = Number(describe(await db.read('SELECT count(*) FROM pg_prepared_statements')));
  t.ok(count > 100 && count <= 200, `${count} prepared`);
});

t.test('a text that cannot be prepared fails each time', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const statement = { sql: 'SELECT * FROM nowhere' };
  for (let i = 0; i < 3; i++) t.equal(describe(await db.read(statement)), '42P01');
  await server.sql('CREATE TABLE nowhere (a int)');
  t.equal(describe(await db.write(statement)), '[]', 'and works once its table is there');
});

t.test('a plan that went stale is made anew, and the statement runs once', async (t) => {
  const db = new TestDatabase(t, server, { connections: 1 });
  const statement = { sql: `INSERT INTO items (name) VALUES ($1) RETURNING *` };
  for (const name of ['a', 'b', 'c']) await db.write(statement, { values: [name] });
  await server.sql('ALTER TABLE items ADD COLUMN extra int DEFAULT 5');
  const outcomes = await Promise.all(
    ['d', 'e', 'f'].map((name) => db.write(statement, { values: [name] })),
  );
  t.strictSame(outcomes.map(describe), ['[["4","d","5"]]', '[["5","e","5"]]', '[["6","f","5"]]']);
  t.equal((await server.sql('SELECT 1 FROM items')).length, 6);
});
