/** Which database `check` proves a script on, stored scripts among them, and what becomes of it without an answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { ProofFindings } from '#app/commands/check/proof-report.js';
import type { Report } from '#app/commands/check/report.js';
import { CREATE, insert } from '../../stored/registry/tables.js';
import { startOwnPostgres, startPostgres, type Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { makeScripts, run, start } from '../program.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE main_only (id integer)' });
await server.sql('CREATE DATABASE stock');
const stock = new URL(server.url);
stock.pathname = '/stock';
const client = new pg.Client({ connectionString: stock.href });
await client.connect();
await client.query('CREATE TABLE stock_only (id integer)');
await client.end();
const env = {
  DATABASE_URL: server.url,
  DATABASE_ALIAS_1: 'stock',
  DATABASE_URL_1: stock.href,
  DATABASE_ALIAS_2: 'away',
  DATABASE_URL_2: 'postgres://u:p@127.0.0.1:1/d',
};

async function proofOf(
  folder: string,
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<ProofFindings> {
  const { stdout } = await run(folder, ['check', '--json', ...args], env);
  return (JSON.parse(stdout) as Report).proof!;
}

/** What a proof found, by place: the verdict and the database. */
function verdicts({ scripts }: ProofFindings): Record<string, string> {
  return Object.fromEntries(scripts.map(({ file, verdict, database }) => [file, `${verdict} on ${database}`])); // prettier-ignore
}

t.test(
  'files are proved on the default database, else on one where they are not broken',
  async (t) => {
    const folder = makeScripts(t, {
      'a/main.read.sql': 'SELECT id FROM main_only',
      'a/none.read.sql': 'SELECT id FROM nowhere',
      'a/routed.read.sql': '-- @path /v1/stock\nSELECT id FROM stock_only',
      'a/stock.read.sql': 'SELECT id FROM stock_only',
    });
    const proof = await proofOf(folder, env);
    t.strictSame(verdicts(proof), {
      'a/main.read.sql': 'proved on postgres',
      'a/none.read.sql': 'broken on postgres',
      'a/routed.read.sql': 'broken on postgres',
      'a/stock.read.sql': 'proved on stock',
    });
    t.strictSame(proof.warnings, [
      'a/stock.read.sql is broken on postgres, and not on stock: relation "stock_only" does not exist',
    ]);
    const named = await proofOf(folder, env, '--script', 'stock/a/main');
    t.strictSame(verdicts(named), { 'a/main.read.sql': 'broken on stock' });
  },
);

t.test('stored scripts', async (t) => {
  await server.sql(CREATE);
  await server.sql(
    [
      insert('a/b', 'SELECT id FROM main_only'),
      insert('a/lost', 'SELECT id FROM nowhere'),
      insert('stock:a/b', 'SELECT id FROM stock_only'),
      insert('stock:a/lost', 'SELECT id FROM main_only'),
      insert('away:a/b', 'SELECT id FROM main_only'),
      insert('other:a/b', 'SELECT 1'),
    ].join(''),
  );
  const folder = makeScripts(t, {
    'a/b.read.sql': 'SELECT id FROM main_only',
    'a/c.read.sql': 'SELECT FROM nowhere',
  });
  const stored = { ...env, SERVICE_QUERIES_STORAGE: 'database' };
  const { code, stdout } = await run(folder, ['check'], stored);
  t.equal(code, 1);
  t.match(stdout, '\n  error: stock/a/lost (read):1:16: relation "main_only" does not exist (42P01)\n'); // prettier-ignore
  t.match(stdout, '\n  warning: other/a/b: no database has this alias: it is never served\n');
  t.match(
    stdout,
    '\nproof not ok: 6 scripts, 2 proved, 3 broken, 1 not proved, because the database does not answer\n',
  );
  const all = {
    'a/b (read)': 'proved on postgres',
    'a/lost (read)': 'broken on postgres',
    'stock/a/b (read)': 'proved on stock',
    'stock/a/lost (read)': 'broken on stock',
  };
  const proof = await proofOf(folder, stored);
  t.strictSame(verdicts(proof), { ...all, 'a/c.read.sql': 'broken on postgres' }, 'the file to be imported too'); // prettier-ignore
  writeFileSync(join(folder, 'queries/a/lost.read.sql'), 'SELECT FROM gone');
  const skips = { ...stored, SERVICE_QUERIES_IMPORT_POLICY: 'skip' };
  const replaced = { 'a/lost.read.sql': 'broken on postgres' };
  t.match(verdicts(await proofOf(folder, stored)), replaced);
  t.notMatch(verdicts(await proofOf(folder, skips)), replaced);
  const alone = { ...stored, SERVICE_QUERIES_IMPORT_ON_STARTUP: 'false' };
  t.strictSame(verdicts(await proofOf(folder, alone)), all);
  t.strictSame(verdicts(await proofOf(folder, stored, '--script', 'stock/a/b')), {
    'stock/a/b (read)': 'proved on stock',
  });
});

t.test('a database that does not answer', async (t) => {
  const folder = makeScripts(t, { 'a/b.read.sql': 'SELECT 1', 'a/c.read.sql': '{{if}}' });
  const away = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' };
  const { code, stdout } = await run(folder, ['check'], away);
  t.equal(code, 1);
  t.match(stdout, /\ndatabase d not ok\n {2}error: /);
  t.match(stdout, /\n {2}error: a\/c\.read\.sql:1:5/);
  t.match(stdout, '\nproof not ok: 1 script, 1 not proved, because the database does not answer\n');
});

t.test('a database that stops meanwhile', async (t) => {
  const own = await startOwnPostgres(t, { setup: 'CREATE TABLE held (id integer)' });
  const names = Array.from({ length: 20 }, (_, i) => `a/s${i + 10}.read.sql`);
  const folder = makeScripts(t, {
    'a/first.read.sql': 'SELECT 1',
    'a/held.read.sql': 'SELECT id FROM held',
    ...Object.fromEntries(names.map((name) => [name, 'SELECT id FROM held'])),
  });
  await lock(own.url);
  const { finished } = start(folder, ['check'], { DATABASE_URL: own.url });
  await waits(own, "wait_event_type = 'Lock'");
  await own.stop();
  const { code, stdout, stderr } = await finished;
  t.equal(code, 1);
  t.equal(stderr, '');
  t.match(
    stdout,
    /\nproof not ok: 22 scripts, .*not proved, because the database does not answer\n/,
  );
  t.match(stdout, /\n {2}error: database postgres does not answer any more: .+\n/);
});

t.test('a lock that is held', async (t) => {
  await server.sql('CREATE TABLE held (id integer)');
  const folder = makeScripts(t, {
    'a/b.read.sql': 'SELECT id FROM main_only',
    'a/c.read.sql': 'SELECT id FROM held',
    'a/d.read.sql': 'SELECT id FROM main_only',
  });
  const locking = await lock(server.url);
  const proof = await proofOf(folder, { DATABASE_URL: server.url });
  t.strictSame(verdicts(proof), {
    'a/b.read.sql': 'proved on postgres',
    'a/c.read.sql': 'unproved on postgres',
    'a/d.read.sql': 'proved on postgres',
  });
  t.match(proof.scripts[1]!.open, [{ what: /lock on a table/ }]);
  await locking.end();
});

/** lock locks the table `held` until the connection ends. */
async function lock(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the server may stop
  await client.connect();
  await client.query('BEGIN; LOCK TABLE held');
  return client;
}

/** waits resolves when a session is as the condition on pg_stat_activity says. */
async function waits(postgres: Postgres, condition: string): Promise<void> {
  await until(async () => {
    const rows = await postgres.sql(`SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${condition}`); // prettier-ignore
    return rows.length > 0;
  });
}
