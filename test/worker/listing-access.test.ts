/**
 * Listings as callers with different permissions get them, from real workers: what may not be read is left out, however
 * it is asked for.
 */
import t, { type Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import { releaseBuffer } from '#app/native/mailbox.js';
import { QueryPool } from '#app/serve/pool/query-pool.js';
import { LISTING, packRequest } from '#app/messages/batch.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import { databaseSettings, httpProcessSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE item (); CREATE TABLE secret (); CREATE TABLE "Item" ();
    CREATE SCHEMA shop; CREATE TABLE shop.item (); CREATE TABLE shop.price ();
    CREATE SCHEMA hr; CREATE VIEW hr.pay AS SELECT 1 AS x; CREATE TABLE hr.item ()`,
});

/** Asks a worker for listings, for a caller. */
function serve(
  t: Pick<Test, 'teardown'>,
  access: TableAccessSettings,
): (target: string, user?: string) => Promise<string> {
  const { worker } = httpProcessSettings({
    worker: { databases: [databaseSettings('main', postgres)], access },
  });
  let answered: ((text: string) => void) | undefined;
  const pool = new QueryPool({
    threads: 1,
    worker,
    results: {
      answered(_id, status, _type, _lines, body) {
        const text = Buffer.from(body as Uint8Array).toString();
        if (body instanceof ArrayBuffer) releaseBuffer(body);
        answered?.(`${status} ${text}`);
      },
      died: () => answered?.('the worker died'),
    },
    log: createLogger(worker.log, {}),
  });
  const serving = setInterval(() => undefined, 1_000); // as an HTTP process's socket does, it keeps the process
  t.teardown(() => {
    clearInterval(serving);
    return pool.close();
  });
  return (target, user = '') =>
    new Promise((resolve) => {
      answered = resolve;
      const [name = '', query = ''] = target.split('?');
      pool.submit(
        // prettier-ignore
        packRequest(1, 'GET', 'main', user, name, query, '', 'test', '', '', undefined, false, false, LISTING),
      );
    });
}

const all = (name: string, ...permissions: string[]) => ({ name, permissions, fields: undefined });

const ask = serve(t, {
  restrict: true,
  tables: [all('item', 'read'), all('shop.price', 'write'), all('shop.gone', 'read')],
  users: [
    { name: 'ann', tables: [all('item', 'write'), all('hr.pay', 'read')] },
    { name: 'bob', tables: [all('shop.price', 'read', 'delete')] },
    { name: 'none', tables: [all('item'), all('shop.gone')] },
  ],
  ignored: ['hr.item'],
});

/** names are those in an answer. */
const names = (answer: string): string =>
  answer.startsWith('200 ')
    ? (JSON.parse(answer.slice(4)) as Record<string, string>[])
        .map((row) => (row['schema'] === undefined ? Object.values(row) : [row['schema'], row['name']]).join('.'))
        .join(' ')
    : answer; // prettier-ignore

const CASES: readonly (readonly [user: string, target: string, names: string])[] = [
  ['none', 'tables', 'hr.item'],
  ['none', 'schemas', 'hr'],
  ['', 'tables', 'hr.item public.item'],
  ['', 'schemas', 'hr public shop'],
  ['__proto__', 'tables', 'hr.item public.item'],
  ['ANN', 'tables', 'hr.item public.item'],
  ['ann', 'tables', 'hr.item hr.pay'],
  ['ann', 'schemas', 'hr shop'],
  ['bob', 'tables', 'hr.item public.item shop.price'],
  // no filter shows more
  ['', 'tables?_or=schema=hr||schema=shop||name=$notnull', 'hr.item public.item'],
  ['', 'tables?_or=relkind=v', ''],
  ['', 'tables?schema=shop', ''],
  ['', 'schemas?_or=schema_name=information_schema||schema_name=shop', 'shop'],
  ['', 'schemas?_count=*', '3'],
  ['ann', 'schemas?_count=*', '2'],
  ['', 'databases', 'postgres'],
];

t.test('what may not be read is left out', async (t) => {
  for (const [user, target, expected] of CASES)
    t.equal(names(await ask(target, user)), expected, `${user} ${target}`);
});

t.test('a listing that there is not', async (t) => {
  t.match(await ask('users'), /^404 .*"not_found"/);
  t.match(await ask(''), /^404 /);
});

t.test('restricted without entries', async (t) => {
  const nothing = serve(t, { restrict: true, tables: [], users: [], ignored: [] });
  t.equal(await nothing('tables'), '200 []');
  t.equal(await nothing('schemas'), '200 []');
});

t.test('thousands of entries', async (t) => {
  const many = Array.from({ length: 5_000 }, (_, i) => all(`shop.t${i}`, 'read'));
  const access = { restrict: true, tables: [...many, all('item', 'read')], users: [], ignored: [] };
  t.equal(names(await serve(t, access)('tables')), 'public.item');
});
