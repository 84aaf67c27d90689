/** Conditional requests: what they depend on, and that of many editors of one version exactly one wins. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t);
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

const tag = async (path: string): Promise<string> =>
  (await registry.ask(`GET ${path}`)).headers['ETag'] ?? 'none';
const body = { read_sql: 'SELECT 1' };

/** Conditions on a record with a tag, and their results for reads and for writes. */
const conditions = (
  own: string,
): [ifMatch: string, ifNoneMatch: string, read: number, written: number][] => [
  ['"0-0"', '', 412, 412],
  [`W/${own}`, '', 412, 412],
  [`"0-0", W/${own}`, '', 412, 412],
  ['"0-0"', own, 412, 412],
  ['*', own, 304, 412],
  [own, own, 304, 412],
  ['', own, 304, 412],
  ['', `W/${own}`, 304, 412],
  ['', `"0-0",, W/${own}`, 304, 412],
  ['', '*', 304, 412],
  [own, '', 200, 200],
  [`,"a,b" ,\t${own}`, '', 200, 200],
  ['*', '', 200, 200],
  ['', '"0-0"', 200, 200],
  [own, '"0-0"', 200, 200],
];

/** What is sent by each method, and the status of success. */
const METHODS: [target: string, sent: object, success: number][] = [
  ['GET /there/rec', {}, 200],
  ['HEAD /there/rec', {}, 200],
  ['PUT /there/rec', { body }, 200],
  ['POST /', { body: { ...body, location: 'there', name: 'rec' } }, 201],
  ['DELETE /there/rec', {}, 204],
];

for (const [target, sent, success] of METHODS)
  t.test(`on an existing record: ${target}`, async (t) => {
    for (const at of conditions('').keys()) {
      await registry.ask('PUT /there/rec', { body });
      const own = await tag('/there/rec');
      const [ifMatch, ifNoneMatch, read, written] = conditions(own)[at]!;
      const { status, headers } = await registry.ask(target, { ...sent, ifMatch, ifNoneMatch });
      const wanted = /GET|HEAD/.test(target) ? read : written;
      t.equal(status, wanted === 200 ? success : wanted, `${ifMatch} / ${ifNoneMatch}`);
      if (status >= 300) t.equal(await tag('/there/rec'), own, 'nothing has changed');
      if (status === 304) t.strictSame(headers, { ETag: own });
    }
  });

t.test('on one that is not', async (t) => {
  t.match(await registry.error('PUT /new/rec', { body, ifMatch: '"0-0"' }), /^412 /);
  t.match(await registry.error('PUT /new/rec', { body, ifMatch: '*' }), /^412 /);
  t.match(await registry.error('PUT /new/rec', { body, ifMatch: 'W/"0-0"' }), /^412 /);
  t.equal((await registry.ask('PUT /new/rec', { body, ifNoneMatch: '*' })).status, 201);
  t.equal(
    await registry.error('PUT /new/rec', { body, ifNoneMatch: '*' }),
    '412 precondition_failed: the script is there already',
  );
  const scoped = { body, ifMatch: await tag('/main/new/rec') };
  t.match(await registry.error('PUT /main/new/rec', scoped), /^412 /, 'there is another record');
});

t.test('a tag is of one state: made anew it is another', async (t) => {
  await registry.ask('PUT /state/rec', { body });
  const first = await tag('/state/rec');
  await registry.ask('PUT /state/rec', { body });
  t.not(await tag('/state/rec'), first, 'also with the same content');
  await registry.ask('DELETE /state/rec');
  await registry.ask('PUT /state/rec', { body });
  t.match(await registry.error('DELETE /state/rec', { ifMatch: first }), /^412 /);
  await server.sql("UPDATE service_queries SET read_sql = 'SELECT 2' WHERE location = 'state'");
  const last = await tag('/state/rec');
  t.equal((await registry.ask('PUT /state/rec', { body, ifMatch: last })).status, 200);
});

t.test('a rollback depends on them too', async (t) => {
  await registry.ask('PUT /roll/rec', { body });
  const before = await tag('/roll/rec');
  await registry.ask('PUT /roll/rec', { body: { read_sql: 'SELECT 2' } });
  const { json } = await registry.ask('GET /roll/rec?history');
  const first = (json as { version: number }[])[1]!.version;
  const back = `POST /roll/rec?rollback=${first}`;
  t.match(await registry.error(back, { ifMatch: before }), /^412 /);
  t.equal((await registry.ask(back, { ifMatch: await tag('/roll/rec') })).status, 200);
});

t.test('of many editors of one version exactly one wins', async (t) => {
  const EDITORS = 12;
  const editors = [registry, new TestedRegistry(t, server), new TestedRegistry(t, server)];
  await registry.ask('PUT /race/rec', { body });
  let winners = 0;
  for (let round = 0; round < 10; round++) {
    const ifMatch = await tag('/race/rec');
    const told = await Promise.all(
      Array.from({ length: EDITORS }, (_, i) =>
        editors[i % editors.length]!.ask('PUT /race/rec', {
          body: { read_sql: `SELECT ${round}, ${i}` },
          ifMatch,
        }),
      ),
    );
    const won = told.filter(({ status }) => status === 200);
    t.strictSame(
      [won.length, told.filter(({ status }) => status === 412).length],
      [1, EDITORS - 1],
    );
    t.equal((await registry.ask('GET /race/rec')).text, won[0]!.text, 'what it was told is there');
    winners += won.length;
  }
  const { json } = await registry.ask('GET /race/rec?history');
  t.equal((json as unknown[]).length, winners + 1, 'a version for each of them, no more');
});

t.test('lists and versions by pages', async (t) => {
  for (const name of ['a', 'b', 'c']) await registry.ask(`PUT /paged/${name}`, { body });
  for (let n = 0; n < 4; n++)
    await registry.ask('PUT /paged/a', { body: { read_sql: `SELECT ${n}` } });
  const given = async (target: string, member: string): Promise<unknown[]> =>
    ((await registry.ask(`GET ${target}`)).json as Record<string, unknown>[]).map((one) => one[member]); // prettier-ignore
  const list = '/?location=paged';
  t.strictSame(await given(`${list}&_page=1&_page_size=2`, 'name'), ['a', 'b']);
  t.strictSame(await given(`${list}&_page=2&_page_size=2`, 'name'), ['c']);
  t.strictSame(await given(`${list}&_page=3&_page_size=2`, 'name'), []);
  t.strictSame(await given(`${list}&_page=1&database=`, 'name'), ['a', 'b', 'c']);
  t.strictSame(await given(`${list}&_page_size=1`, 'name'), ['a', 'b', 'c'], 'as for listings');
  const versions = '/paged/a?history&_page_size=2&_page=';
  t.strictSame(await given(`${versions}1`, 'read_sql'), ['SELECT 3', 'SELECT 2']);
  t.strictSame(await given(`${versions}2`, 'read_sql'), ['SELECT 1', 'SELECT 0']);
});

t.test('of many concurrent creations exactly one succeeds', async (t) => {
  const told = await Promise.all(
    Array.from({ length: 12 }, () => registry.ask('PUT /make/rec', { body, ifNoneMatch: '*' })),
  );
  t.equal(told.filter(({ status }) => status === 201).length, 1);
  t.equal(told.filter(({ status }) => status === 412).length, 11);
});
