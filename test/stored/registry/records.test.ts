/** Records: what is read back, what a condition refuses, which of two concurrent changes wins. */
import t from 'tap';
import { tagOf, type StoredRecord } from '#app/stored/registry/records.js';
import { startPostgres } from '../../support/postgres.js';
import { fails } from '../users/tables.js';
import { AS_PREST_MAKES_IT, keyOf, placeOf, type Place } from './place.js';

const server = await startPostgres(t);
const names = { schema: 'public', table: `o'd "d\\` };
const place = placeOf(t, server, names);
const { records } = place;

const put = async (path: string, read_sql: string, { records } = place): Promise<StoredRecord> => {
  const outcome = await records.put(keyOf(path), { read_sql }, 'ann');
  if (outcome === 'mismatch') throw new Error('a mismatch without a condition');
  return outcome.record;
};

t.test('no table', async (t) => {
  await fails(t, records.list(), { state: '42P01' });
  await place.ddl.make();
  t.strictSame(await records.list(), []);
});

t.test('made, replaced, read, removed', async (t) => {
  const key = keyOf('shop/list');
  t.equal(await records.get(key), undefined);
  const text = `SELECT '{{.a}}', "ü", E'\\\\'\n`;
  const made = await records.put(key, { read_sql: text, write_sql: '', description: 'd' }, 'ann');
  t.match(made, { created: true });
  if (made === 'mismatch') return;
  t.match(made.record, { ...key, read_sql: text, description: 'd', created_by: 'ann' });
  t.strictSame(Object.keys(made.record).sort(), [
    ...['created_at', 'created_by', 'database', 'description', 'id', 'location'],
    ...['name', 'read_sql', 'updated_at', 'version'],
  ]);
  for (const time of [made.record.created_at, made.record.updated_at])
    t.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  t.strictSame(await records.get(key), made.record);
  const next = await records.put(key, { delete_sql: 'DELETE' }, 'bob');
  t.match(next, { created: false, record: { id: made.record.id, created_by: 'ann' } });
  if (next === 'mismatch') return;
  t.notHas(next.record, { read_sql: text });
  t.notHas(next.record, { description: 'd' });
  t.equal(next.record.delete_sql, 'DELETE');
  t.equal(next.record.created_at, made.record.created_at);
  t.ok(next.record.updated_at > made.record.updated_at);
  t.not(next.record.version, made.record.version);
  t.strictSame(await records.get(key), next.record, 'the record returned is the record stored');
  t.equal(await records.remove(key, 'bob'), 'removed');
  t.equal(await records.remove(key, 'bob'), 'missing');
  t.equal(await records.get(key), undefined);
});

t.test('listed by database, location and name', async (t) => {
  for (const path of ['b/b', 'main/a/x', 'a/z', 'a/b', 'B/b']) await put(path, 'SELECT 1');
  const listed = async (filter?: { database?: string; location?: string }): Promise<string[]> =>
    (await records.list(filter)).map((r) => `${r.database}:${r.location}/${r.name}`);
  t.strictSame(await listed(), [':B/b', ':a/b', ':a/z', ':b/b', 'main:a/x']);
  t.strictSame(await listed({ database: '' }), [':B/b', ':a/b', ':a/z', ':b/b']);
  t.strictSame(await listed({ location: 'a' }), [':a/b', ':a/z', 'main:a/x']);
  t.strictSame(await listed({ database: 'main', location: 'a' }), ['main:a/x']);
  t.strictSame(await listed({ location: "a' OR true --" }), []);
  t.equal(await records.get(keyOf('main/a/b')), undefined, 'exactly that key');
});

t.test('conditions', async (t) => {
  const key = keyOf('cond/it');
  const outcome = async (
    ...condition: Parameters<Place['records']['put']>[3][]
  ): Promise<string[]> => {
    const outcomes = [];
    for (const terms of condition) {
      const result = await records.put(key, { read_sql: 'SELECT 2' }, 'ann', terms);
      outcomes.push(result === 'mismatch' ? result : result.created ? 'created' : 'replaced');
    }
    return outcomes;
  };
  t.strictSame(
    await outcome(
      { match: '*' },
      { match: ['1-1'] },
      { match: [] },
      { match: '*', noneMatch: '*' },
    ),
    ['mismatch', 'mismatch', 'mismatch', 'mismatch'],
  );
  t.equal(await records.get(key), undefined, 'nothing was made');
  t.strictSame(await outcome({ noneMatch: '*' }, { noneMatch: '*' }, { match: '*' }), [
    'created',
    'mismatch',
    'replaced',
  ]);
  const tag = async (): Promise<string> => tagOf((await records.get(key))!);
  const first = await tag();
  t.strictSame(
    await outcome(
      { match: ['9-9'] },
      { noneMatch: [first] },
      { match: [first], noneMatch: [first] },
      { match: '*', noneMatch: '*' },
      { match: [] },
    ),
    ['mismatch', 'mismatch', 'mismatch', 'mismatch', 'mismatch'],
  );
  t.equal(await tag(), first, 'nothing was changed');
  t.strictSame(await outcome({ match: ['9-9', first] }, { match: [first] }), [
    'replaced',
    'mismatch',
  ]);
  t.strictSame(await outcome({ noneMatch: [first] }), ['replaced']);
  t.strictSame(await outcome({ match: [await tag()], noneMatch: ['9-9'] }), ['replaced']);

  t.equal(await records.remove(key, 'ann', { match: [first] }), 'mismatch');
  t.equal(await records.remove(key, 'ann', { match: [] }), 'mismatch');
  t.equal(await records.remove(key, 'ann', { noneMatch: '*' }), 'mismatch');
  t.equal(await records.remove(key, 'ann', { noneMatch: [await tag()] }), 'mismatch');
  t.equal(await records.remove(key, 'ann', { match: [await tag()] }), 'removed');
  t.equal(await records.remove(key, 'ann', { match: ['1-1'] }), 'missing');
  t.equal(await records.remove(key, 'ann', { noneMatch: '*' }), 'missing');
  await put('cond/it', 'SELECT 3');
  t.equal(await records.remove(key, 'ann', { match: '*' }), 'removed');
  const quoted = 'a"b\\c,{}';
  t.strictSame(await outcome({ match: [quoted, 'null'] }), ['mismatch'], 'whatever a tag is');
});

t.test('of concurrent changes of the same state one wins', async (t) => {
  const editors = Array.from({ length: 6 }, () => placeOf(t, server, names).records);
  for (let round = 0; round < 15; round++) {
    const key = keyOf(`race/r${round}`);
    const all = (condition: () => Parameters<Place['records']['put']>[3]): Promise<unknown[]> =>
      Promise.all(
        editors.map((records, i) => records.put(key, { read_sql: `${i}` }, `e${i}`, condition())),
      );
    const winners = (outcomes: unknown[]): number =>
      outcomes.filter((outcome) => outcome !== 'mismatch').length;
    t.equal(winners(await all(() => ({ noneMatch: '*' }))), 1, 'one made it');
    const tag = tagOf((await records.get(key))!);
    t.equal(winners(await all(() => ({ match: [tag] }))), 1, 'one replaced it');
    const last = tagOf((await records.get(key))!);
    const removals = editors.map((records) => records.remove(key, 'e', { match: [last] }));
    t.equal((await Promise.all(removals)).filter((o) => o === 'removed').length, 1);
    const history = (await records.history(key))!;
    t.strictSame(
      history.map(({ operation }) => operation),
      ['delete', 'update', 'insert'],
    );
  }
});

t.test('a table as pREST 2.4.2 makes it', async (t) => {
  await server.sql(AS_PREST_MAKES_IT.replaceAll('%', 'theirs'));
  await server.sql(
    "INSERT INTO theirs (location, name, read_sql, write_sql) VALUES ('a', 'b', 'SELECT 1', '')",
  );
  const theirs = placeOf(t, server, { table: 'theirs' });
  const [record] = await theirs.records.list();
  t.match(record, { id: 1, database: '', location: 'a', name: 'b', read_sql: 'SELECT 1' });
  for (const member of ['write_sql', 'created_by', 'description']) t.notOk(member in record!);
  t.equal(await theirs.records.history(keyOf('a/b')), undefined, 'no history was ever kept');
  t.equal(await theirs.records.version(keyOf('a/b'), 1), undefined);
  const outcome = await theirs.records.put(keyOf('a/b'), { write_sql: 'x' }, 'ann', {
    match: [tagOf(record!)],
  });
  t.match(outcome, { created: false, record: { id: 1, write_sql: 'x' } });
});
