/** Responses of scripts and listings have their times where that is configured. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService, type Configuration } from '../support/service.js';

const { url: database } = await startPostgres(t);

const scripts = {
  'a/nap.read.sql': 'SELECT 1 AS one FROM pg_sleep(0.02)',
  'a/empty.read.sql': 'SELECT 1 AS one WHERE false',
  'a/large.read.sql': `SELECT repeat('x', 100000) AS text`,
  'a/add.write.sql': `SELECT 1 AS one, NULL::point AS p`,
  'a/head.read.sql': `-- @header X-One: {one}
-- @one
SELECT 1 AS one`,
  'a/fails.read.sql': 'SELECT 1 / 0 AS one',
  'a/broken.read.sql': '{{if}}',
};
const ALL = /^wait;dur=\d+(\.\d)?, render;dur=\d+(\.\d)?, db;dur=(\d+(?:\.\d)?)$/;
const page = 'https://page.example';

const cases: readonly (readonly [string, Configuration])[] = [
  ['http.server_timing', { 'http.server_timing': true }],
  ['debug', { debug: true }],
];
for (const [name, config] of cases)
  t.test(name, async (t) => {
    const cors = { 'cors.alloworigin': [page] };
    const service = await startService(t, { database, scripts, config: { ...config, ...cors } });
    for (const [target, method, status] of [
      ['a/broken', 'GET', 400],
      ['a/missing', 'GET', 404],
      ['/_health', 'GET', 200],
    ] as const) {
      const { status: given, headers } = await service.ask(target, { method });
      t.equal(given, status);
      t.equal(headers.get('Server-Timing'), null, `${target} did not reach the database`);
    }
    for (const [target, method, status] of [
      ['a/fails', 'GET', 400],
      ['a/nap', 'GET', 200],
      ['a/nap?_renderer=xml', 'GET', 200],
      ['a/nap', 'HEAD', 200],
      ['a/empty', 'GET', 200],
      ['a/large', 'GET', 200],
      ['a/add', 'POST', 200],
      ['a/head', 'GET', 200],
      ['/tables', 'GET', 200],
    ] as const) {
      const { status: given, headers } = await service.ask(target, { method });
      t.equal(given, status, target);
      const times = ALL.exec(headers.get('Server-Timing') ?? '');
      t.ok(times, `${target}: ${headers.get('Server-Timing')}`);
      if (target === 'a/nap') t.ok(Number(times?.[3]) >= 20);
      t.equal(headers.get('Timing-Allow-Origin'), null);
    }
    t.same(await service.rows('a/nap'), [{ one: 1 }]);
    for (const [origin, allowed] of [
      [page, page],
      ['https://other.example', null],
    ] as const) {
      const { headers } = await service.ask('a/nap', { headers: { Origin: origin } });
      t.equal(headers.get('Timing-Allow-Origin'), allowed);
    }
  });

t.test('off', async (t) => {
  const cors = { 'cors.alloworigin': [page] };
  const service = await startService(t, { database, scripts, config: cors });
  const { headers } = await service.ask('a/nap', { headers: { Origin: page } });
  t.equal(headers.get('Server-Timing'), null);
  t.equal(headers.get('Timing-Allow-Origin'), null);
});
