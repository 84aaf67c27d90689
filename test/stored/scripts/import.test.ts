/** A folder written into the table: by each policy, beside others, and cut off at several points. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { readFolder, type FolderScript } from '#app/stored/scripts/folder.js';
import {
  ImportConflict,
  importScripts,
  type ImportOptions,
  type ImportPolicy,
} from '#app/stored/scripts/import.js';
import { startPostgres } from '../../support/postgres.js';
import { fails } from '../users/tables.js';
import { AS_PREST_MAKES_IT, keyOf, placeOf, type Place } from '../registry/place.js';

const server = await startPostgres(t);

const script = (path: string, read: string, write?: string): FolderScript => {
  const { location, name } = keyOf(path);
  return { location, name, texts: { read, ...(write !== undefined && { write }) } };
};

const outcomes = async (
  { database, table }: Place,
  scripts: readonly FolderScript[],
  policy: ImportPolicy,
  more: Partial<ImportOptions> = {},
): Promise<Record<string, string>> => {
  const options = { table, database: '', policy, ...more };
  const imported = await importScripts(database, scripts, options);
  return Object.fromEntries(
    imported.map(({ location, name, outcome }) => [`${location}/${name}`, outcome]),
  );
};

const stored = async ({ records }: Place): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await records.list()).map((r) => [
      `${r.database && `${r.database}:`}${r.location}/${r.name}`,
      [r.read_sql, r.write_sql, r.created_by].join('|'),
    ]),
  );

t.test('policies', async (t) => {
  const place = placeOf(t, server);
  const { ddl, records } = place;
  const files = [
    script('a/new', `it's "{1}", \\ NULL`, ''),
    script('a/same', 's'),
    script('b/other', 'o2', 'w2'),
  ];
  await fails(t, outcomes(place, files, 'update'), { state: '42P01' });
  await ddl.make();
  const fill = async (): Promise<void> => {
    await server.sql('TRUNCATE service_queries');
    await records.put(keyOf('a/same'), { read_sql: 's' }, 'ann');
    await records.put(
      keyOf('b/other'),
      { read_sql: 'o', update_sql: 'u', description: 'd' },
      'ann',
    );
    await records.put(keyOf('a/table-only'), { read_sql: 't' }, 'ann');
    await records.put(keyOf('main/a/new'), { read_sql: 'm' }, 'ann');
  };
  const before = {
    'a/same': 's||ann',
    'a/table-only': 't||ann',
    'b/other': 'o||ann',
    'main:a/new': 'm||ann',
  };
  const made = { 'a/new': `it's "{1}", \\ NULL||filesystem-import` };
  const cases: [ImportPolicy, outcomes: Record<string, string>, after: Record<string, string>][] = [
    [
      'skip',
      { 'a/new': 'created', 'a/same': 'unchanged', 'b/other': 'skipped' },
      { ...before, ...made },
    ],
    [
      'update',
      { 'a/new': 'created', 'a/same': 'unchanged', 'b/other': 'updated' },
      { ...before, ...made, 'b/other': 'o2|w2|ann' },
    ],
  ];
  for (const [policy, wanted, after] of cases) {
    await fill();
    t.strictSame(await outcomes(place, files, policy, { dryRun: true }), wanted);
    t.strictSame(await stored(place), before, 'a dry run changes nothing');
    const same = await records.get(keyOf('a/same'));
    t.strictSame(await outcomes(place, files, policy), wanted);
    t.strictSame(await stored(place), after);
    t.strictSame(await records.get(keyOf('a/same')), same, 'what is equal is not touched');
    const done = await stored(place);
    const again = await outcomes(place, files, policy);
    t.strictSame(again, {
      ...wanted,
      'a/new': 'unchanged',
      ...(policy === 'update' && { 'b/other': 'unchanged' }),
    });
    t.strictSame(await stored(place), done);
  }
  const other = (await records.get(keyOf('b/other')))!;
  t.match(other, { description: 'd' });
  t.notOk('update_sql' in other, 'the folder does not have it');
  t.ok(other.updated_at > other.created_at);
  t.match((await records.history(keyOf('b/other')))![0], { changed_by: 'filesystem-import' });
  t.equal(
    (await records.history(keyOf('a/new')))!.filter((v) => v.operation !== 'delete').length,
    2,
  );

  await fill();
  for (const dryRun of [true, false])
    await t.rejects(outcomes(place, files, 'error', { dryRun }), {
      message: 'these scripts are stored with another text: b/other',
    });
  t.strictSame(await stored(place), before, 'nothing at all was imported');
  const rest = files.slice(0, 2);
  t.strictSame(await outcomes(place, rest, 'error'), { 'a/new': 'created', 'a/same': 'unchanged' });
  t.strictSame(await outcomes(place, rest, 'error'), {
    'a/new': 'unchanged',
    'a/same': 'unchanged',
  });
  t.strictSame(await outcomes(place, [script('a/new', 'x')], 'update', { database: 'main' }), {
    'a/new': 'updated',
  });
  t.strictSame(await stored(place), { ...before, ...made, 'main:a/new': 'x||ann' });
  t.strictSame(await outcomes(place, [], 'error'), {});
});

t.test('a table as pREST 2.4.2 makes it', async (t) => {
  await server.sql(AS_PREST_MAKES_IT.replaceAll('%', 'theirs'));
  await server.sql(
    `INSERT INTO theirs (location, name, read_sql, write_sql, created_by)
     VALUES ('a', 'b', '1', '', 'filesystem-import'), ('a', 'c', '1', NULL, 'filesystem-import')`,
  );
  const place = placeOf(t, server, { table: 'theirs' });
  const files = [script('a/b', '1'), script('a/c', '1'), script('a/d', '1')];
  t.strictSame(await outcomes(place, files, 'update'), {
    'a/b': 'unchanged',
    'a/c': 'unchanged',
    'a/d': 'created',
  });
});

/** Somebody else's transaction. */
async function session(t: Test, begin: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query(`BEGIN; ${begin}`);
  return client;
}

/** The backend that waits for a lock. */
async function waiting(): Promise<number> {
  for (;;) {
    const [row] = await server.sql<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND backend_type = 'client backend'",
    );
    if (row !== undefined) return row.pid;
    await sleep(10);
  }
}

const MANY = Array.from({ length: 40 }, (_, i) =>
  script(`f/s${String(i).padStart(2, '0')}`, `SELECT ${i}`),
);

t.test('cut off', async (t) => {
  const points: [where: string, lock: string][] = [
    ['at the first', insertion('f', 's00')],
    ['in the middle', insertion('f', 's20')],
    ['at the last', insertion('f', 's39')],
    ['at the history', 'LOCK TABLE cut_history IN EXCLUSIVE MODE'],
    ['at the table', 'LOCK TABLE cut IN EXCLUSIVE MODE'],
  ];
  for (const [where, lock] of points) {
    await t.test(where, async (t) => {
      const place = placeOf(t, server, { table: 'cut' });
      await place.ddl.make();
      await server.sql('TRUNCATE cut, cut_history');
      await place.records.put(keyOf('f/s05'), { read_sql: 'old' }, 'ann');
      const other = await session(t, lock);
      const cut = outcomes(place, MANY, 'update');
      const failure = fails(t, cut, { state: '57P01' });
      await server.sql('SELECT pg_terminate_backend($1)', [await waiting()]);
      await failure;
      await other.query('ROLLBACK');
      t.strictSame(await stored(place), { 'f/s05': 'old||ann' }, 'as before');
      t.equal((await server.sql('SELECT FROM cut_history')).length, 1);
      const again = await outcomes(place, MANY, 'update');
      t.strictSame(new Set(Object.values(again)), new Set(['created', 'updated']));
      t.equal(Object.keys(await stored(place)).length, 40, 'as after');
    });
  }

  function insertion(location: string, name: string): string {
    return `INSERT INTO cut (location, name, read_sql) VALUES ('${location}', '${name}', 'x')`;
  }
});

t.test('beside others', async (t) => {
  const place = placeOf(t, server, { table: 'race' });
  await place.ddl.make();
  const insertion = "INSERT INTO race (location, name, read_sql) VALUES ('f', 's20', 'theirs')";
  const cases: [ImportPolicy, outcome: string | undefined, after: string][] = [
    ['skip', 'skipped', 'theirs||'],
    ['update', 'updated', 'SELECT 20||'],
    ['error', undefined, 'theirs||'],
  ];
  for (const [policy, outcome, after] of cases) {
    await t.test(`a script made meanwhile: ${policy}`, async (t) => {
      await server.sql('TRUNCATE race');
      const other = await session(t, insertion);
      const importing = outcomes(place, MANY, policy).catch((error: unknown) => error);
      await waiting();
      await other.query('COMMIT');
      const result = await importing;
      if (outcome === undefined) {
        t.ok(result instanceof ImportConflict);
        t.strictSame((result as ImportConflict).scripts, ['f/s20']);
        t.strictSame(await stored(place), { 'f/s20': 'theirs||' }, 'nothing was imported');
      } else {
        t.equal((result as Record<string, string>)['f/s20'], outcome);
        t.equal((await stored(place))['f/s20'], after);
        t.equal(Object.keys(await stored(place)).length, 40);
      }
    });
  }

  await t.test('eight imports of the same', async (t) => {
    await server.sql('TRUNCATE race, race_history');
    for (const policy of ['update', 'error', 'skip'] as const) {
      const eight = Array.from({ length: 8 }, () => placeOf(t, server, { table: 'race' }));
      const results = await Promise.all(
        eight.map((one) => outcomes(one, [...MANY].reverse(), policy)),
      );
      t.ok(results.every((result) => Object.keys(result).length === 40));
      t.equal((await server.sql('SELECT FROM race')).length, 40);
      t.equal((await server.sql('SELECT FROM race_history')).length, 40, 'one entry each');
    }
  });
});

t.test('what a folder holds', async (t) => {
  const root = t.testdir({
    a: {
      'x.read.sql': '\uFEFFSELECT {{sqlVal "a"}}\n',
      'x.delete.sql': 'DELETE {{if}}',
      'empty.read.sql': '',
      'nul.read.sql': 'a\0b',
      'dotted.name.read.sql': 'x',
      'notes.txt': 'x',
      'large.read.sql': 'x'.repeat((1 << 20) + 1),
    },
    'b-ü': { 'y.update.sql': 'UPDATE' },
    'odd name': { 'x.read.sql': 'x' },
  });
  const { scripts, leftOut, unparsed } = await readFolder(root);
  t.strictSame(scripts, [
    {
      location: 'a',
      name: 'x',
      texts: { delete: 'DELETE {{if}}', read: 'SELECT {{sqlVal "a"}}\n' },
    },
    { location: 'b-ü', name: 'y', texts: { update: 'UPDATE' } },
  ]);
  t.match(unparsed, [
    { file: 'a/x.delete.sql', script: 'a/x', verb: 'delete', error: { detail: /missing value/ } },
  ]);
  t.strictSame(
    leftOut.map(({ file, message }) => `${file} ${message}`),
    [
      'a/dotted.name.read.sql no request can name this script',
      'a/empty.read.sql is empty',
      'a/large.read.sql the file is larger than 1 MiB',
      'a/nul.read.sql the file has a NUL byte',
      'odd name no request can name this folder',
    ],
  );
  await t.rejects(readFolder(`${root}/none`), { code: 'ENOENT' });
});

t.test('a script of which a file cannot be read is left as it is', async (t) => {
  const folder = t.testdir({
    a: {
      'half.read.sql': 'SELECT 2',
      'half.write.sql': Buffer.from([0xff]),
      'broken.read.sql': 'SELECT {{',
      'broken.delete.sql': 'a\0b',
      'whole.read.sql': 'SELECT 2',
    },
    loop: t.fixture('symlink', 'loop'),
  });
  const { scripts, leftOut, unparsed } = await readFolder(folder);
  t.strictSame(
    scripts.map(({ name }) => name),
    ['whole'],
  );
  t.strictSame(unparsed, [], 'nothing is said of what is not imported');
  const whole = 'another file of the script is left out';
  t.strictSame(Object.fromEntries(leftOut.map(({ file, message }) => [file, message])), {
    'a/half.write.sql': 'the file is not UTF-8',
    'a/broken.delete.sql': 'the file has a NUL byte',
    loop: 'cannot be read (ELOOP)',
    'a/half.read.sql': whole,
    'a/broken.read.sql': whole,
  });
});
