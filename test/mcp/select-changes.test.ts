/** Tables that change before the catalog is refreshed: it is refreshed once, and the select uses the new table. */
import t from 'tap';
import { startToolDatabase } from './arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `CREATE TABLE item (id int, name text, old int); INSERT INTO item VALUES (1, 'cup', 5)`,
});
const item = (args = {}): ReturnType<typeof db.select> => db.select('item', args);

t.beforeEach(async () => {
  for (let i = 0; i < 3; i++) await item();
});

t.test('a column is dropped', async (t) => {
  await db.postgres.sql('ALTER TABLE item DROP COLUMN old');
  t.match(await item(), { columns: ['id', 'name'], rows: [{ id: 1, name: 'cup' }] });
});

t.test('a column is new', async (t) => {
  await db.postgres.sql('ALTER TABLE item ADD fresh int DEFAULT 7');
  t.match(await item({ columns: ['fresh'] }), { rows: [{ fresh: 7 }] });
});

t.test('a column is renamed', async (t) => {
  await db.postgres.sql('ALTER TABLE item RENAME name TO title');
  t.match(await item({ filters: { name: 'cup' } }), {
    error: 'unknown column: name (in filters). The columns are: id, title, fresh.',
  });
  t.match(await item({ filters: { title: 'cup' } }), { count: 1 });
});

t.test('a column has another type', async (t) => {
  const filtered = (id: unknown): ReturnType<typeof item> =>
    item({ filters: { id }, columns: ['id'] });
  for (let i = 0; i < 3; i++) t.match(await filtered('1'), { rows: [{ id: 1 }] });
  await db.postgres.sql('ALTER TABLE item ALTER id TYPE text USING id::text');
  for (let i = 0; i < 3; i++) t.match(await filtered('1'), { rows: [{ id: '1' }] });
});

t.test('a table is replaced by one of the same name', async (t) => {
  await db.postgres.sql('DROP TABLE item; CREATE TABLE item AS SELECT 3 AS n');
  t.match(await item(), { columns: ['n'], rows: [{ n: 3 }] });
});

t.test('a table is dropped', async (t) => {
  await db.postgres.sql('DROP TABLE item');
  for (let i = 0; i < 2; i++)
    t.match(await item(), { error: /^permission denied: there is no such table/ });
});
