/** `check --against`: the scripts of the configuration on another database. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE books (id int, title text)' });
await server.sql('CREATE DATABASE next');
const place = `${server.host}:${server.port}/next`;
const next = server.url.replace(/\/[^/?]*($|\?)/, '/next$1');
const env = { DATABASE_URL: server.url, NEXT: next, EMPTY: '' };
const WITHOUT_PASSWORD = `postgres://${server.user}@${place}`;

const folder = makeFolder(t);
mkdirSync(join(folder, 'queries', 'books'), { recursive: true });
writeFileSync(join(folder, 'queries', 'books', 'list.read.sql'), 'SELECT title FROM books');

t.test('what is refused', async (t) => {
  const cases: readonly (readonly [against: string, message: RegExp])[] = [
    ['GONE', /^error: --against: there is no environment variable "GONE"/],
    ['EMPTY', /^error: --against: there is no environment variable "EMPTY"/],
    ['mysql://127.0.0.1/next', /^error: --against: not a URL that begins with postgres:\/\//],
    [next, /^error: --against: a password is not taken from the command line/],
    [`${WITHOUT_PASSWORD}?password=secret`, /^error: --against: a password is not taken/],
    [`${WITHOUT_PASSWORD}?nope=secret`, /^error: --against: it has a parameter that is not known/],
  ];
  for (const [against, message] of cases) {
    const { code, stdout, stderr } = await run(folder, ['check', '--against', against], env);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(stderr, message);
    t.notMatch(stderr, 'secret');
  }
  const both = await run(folder, ['check', '--against', 'NEXT', '--no-prove'], env);
  t.equal(both.code, 2);
});

t.test('a database that does not answer', async (t) => {
  const away = 'postgres://postgres@127.0.0.1:1/next';
  const { code, stdout } = await run(folder, ['check', '--against', away], env);
  t.equal(code, 1);
  t.match(stdout, /\ndatabase postgres \(127\.0\.0\.1:1\/next\) not ok\n/);
  t.match(stdout, /\nproof against 127\.0\.0\.1:1\/next not ok: 1 script, 1 not proved/);
});

t.test('the password of the configuration is not sent', async (t) => {
  const { code, stdout } = await run(folder, ['check', '--against', WITHOUT_PASSWORD], {
    ...env,
    DATABASE_URL: server.url,
    HOME: folder,
  });
  t.equal(code, 1);
  t.match(stdout, /password authentication failed|no password supplied/);
});

t.test('a table that is missing there, and then is not', async (t) => {
  const text = () => run(folder, ['check', '--against', 'NEXT'], env);
  const missing = await text();
  t.equal(missing.code, 1);
  t.match(missing.stdout, `\ndatabase postgres (${place}) ok: PostgreSQL `);
  t.match(missing.stdout, `\nproof against ${place} not ok: 1 script, 1 broken\n`);
  t.match(missing.stdout, 'books/list.read.sql:1:19: relation "books" does not exist');
  t.equal((await run(folder, ['check'], env)).code, 0);
  const json = await run(folder, ['check', '--against', 'NEXT', '--json'], env);
  const { proof, databases } = JSON.parse(json.stdout) as Report;
  t.equal(proof?.against, place);
  t.match(databases, [{ alias: 'postgres', against: place, ok: true }]);
  const client = new pg.Client(next);
  await client.connect();
  await client.query('CREATE TABLE books (title text)');
  await client.end();
  const there = await text();
  t.equal(there.code, 0, there.stdout);
  t.match(there.stdout, `\nproof against ${place} ok: 1 script, 1 proved\n`);
});

t.test('~/.pgpass has the password', async (t) => {
  const { host, port, user, password } = server;
  writeFileSync(join(folder, '.pgpass'), `${host}:${port}:next:${user}:${password}\n`, {
    mode: 0o600,
  });
  const { code, stdout } = await run(folder, ['check', '--against', WITHOUT_PASSWORD], {
    ...env,
    HOME: folder,
  });
  t.equal(code, 0, stdout);
});

t.test('stored scripts, and those of other databases', async (t) => {
  const stored = {
    ...env,
    SERVICE_QUERIES_STORAGE: 'database',
    SERVICE_QUERIES_IMPORT_ON_STARTUP: 'false',
    DATABASE_ALIAS_1: 'stock',
    DATABASE_URL_1: server.url,
  };
  await run(folder, ['migrate', 'up', 'queries'], stored);
  await run(folder, ['scripts', 'import'], stored);
  await run(folder, ['scripts', 'import', '--database', 'stock'], stored);
  const { code, stdout } = await run(folder, ['check', '--against', 'NEXT', '--json'], stored);
  t.equal(code, 0, stdout);
  const { proof } = JSON.parse(stdout) as Report;
  t.strictSame(
    proof?.scripts.map(({ file }) => file),
    ['books/list (read)'],
  );
});
