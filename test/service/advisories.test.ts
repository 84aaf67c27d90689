/**
 * The published holes of pREST, tried on this service with real scripts and a real database: GHSA-wm25-j4gw-6vr3
 * (paths that a whitelist opened by accident, SQL in path segments), GHSA-p46v-f2x8-qp98 (SQL in identifiers of
 * parameters), GHSA-fj7v-859r-2fm4 (tokens signed with an empty key), GHSA-qvx3-q8vx-9q3c (SQL in `_select`).
 */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { startService } from '../support/service.js';
import { SECRET, signToken, userToken } from '../support/tokens.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE secret (id int, word text);
    INSERT INTO secret VALUES (1, 'hush');
    CREATE TABLE open (id int);
    INSERT INTO open VALUES (1)`,
});
const { host, port: databasePort, password } = postgres;
const database = `postgres://postgres:${password}@${host}:${databasePort}/postgres`;
const scripts = {
  'shop/list.read.sql': `SELECT id FROM open WHERE id = {{sqlVal "id"}}::int`,
  'shop/by.read.sql': `SELECT id FROM open ORDER BY {{ident "column"}}`,
  'shop/raw.read.sql': `SELECT id FROM open WHERE id::text = '{{.id}}'`,
  'auth/words.read.sql': `SELECT word FROM secret`,
};

const service = await startService(t, {
  database,
  scripts,
  config: {
    'auth.enabled': true,
    'auth.migrate_on_startup': false,
    'http.host': '127.0.0.1',
    'jwt.key': SECRET,
    'jwt.whitelist': ['/auth', '/databases'],
    'log.access': true,
    'queries.restrict': true,
    'queries.scripts': [{ location: 'shop', permissions: ['read'] }],
  },
});
const headers = { authorization: `Bearer ${userToken('ann')}` };

t.test('GHSA-wm25-j4gw-6vr3: an expression that is found in a path does not open it', async (t) => {
  for (const target of [
    '/_QUERIES/auth/words',
    '/_QUERIES/shop/list?x=/auth',
    '/_QUERIES/auth/words?/auth',
    '/_QUERIES/shop/auth',
    '/auth/_QUERIES/auth/words',
    '/authors',
    '/databases/x',
    '/schemas?/databases',
    '/tables',
  ])
    t.equal((await service.ask(target)).status, 401, target);
  for (const target of ['/auth/../_QUERIES/auth/words', '/auth%2f..%2f_QUERIES/auth/words']) {
    const { status, body } = await sendRaw(service.port, requestBytes('GET', target));
    t.ok(status === 400 || status === 401, target);
    t.notMatch(body, /hush/, target);
  }
});

t.test('GHSA-wm25-j4gw-6vr3: SQL in the path', async (t) => {
  for (const segment of [
    'list";SELECT word FROM secret',
    'list%22%20;SELECT%20word%20FROM%20secret;--',
    "list'--",
    'list".secret) s;--',
    'list%00',
    'list;',
  ])
    for (const path of [`shop/${segment}`, `${segment}/list`, `${segment}/shop/list`]) {
      const target = encodeURI(decodeURI(`/_QUERIES/${path}`));
      const answer = await service.ask(target, { headers });
      t.equal(answer.status, 400, target);
      t.notMatch(answer.text, /hush|syntax/, target);
    }
});

t.test('GHSA-p46v-f2x8-qp98, GHSA-qvx3-q8vx-9q3c: SQL in parameters', async (t) => {
  const attacks = [
    'id"; SELECT word FROM secret --',
    'id" FROM secret --',
    'id, (SELECT word FROM secret)',
    '(SELECT word FROM secret)',
    'id"as"x" FROM secret UNION SELECT word FROM secret --',
    "1' UNION SELECT word FROM secret --",
    '1 UNION SELECT word FROM secret',
    'id\u201D; SELECT word FROM secret',
    'id::text',
    'word"',
  ];
  const places = ['list?id=', 'by?column=', 'raw?id='].map((place) => `/_QUERIES/shop/${place}`);
  const listings = ['?_select=', '?_order=', '?_count=', '?_groupby=', '?_join=', '?_or=', '?_page=', '?schema_name='].map((place) => `/schemas${place}`); // prettier-ignore
  for (const place of [...places, ...listings])
    for (const attack of attacks) {
      const answer = await service.ask(place + encodeURIComponent(attack), { headers });
      t.notMatch(answer.text, /hush|syntax error/, `${place}${attack}`);
      t.ok(answer.status === 200 || answer.status === 400, `${place}${attack}: ${answer.status}`);
    }
  for (const attack of attacks) {
    const answer = await service.ask(`/schemas?${encodeURIComponent(attack)}=1`, { headers });
    t.equal(answer.status, 400, attack);
    t.notMatch(answer.text, /hush|syntax error/, attack);
  }
});

t.test('GHSA-fj7v-859r-2fm4: a token signed with an empty key', async (t) => {
  for (const key of ['', '\0', ' ', 'undefined', 'null']) {
    const forged = { authorization: `Bearer ${signToken({ sub: 'ann' }, key)}` };
    t.equal(await service.error('shop/list?id=1', { headers: forged }), '401 invalid_claims');
  }
  t.strictSame(await service.rows('shop/list?id=1', { headers }), [{ id: 1 }], 'a good one works');
});

t.test('no token is in the log', (t) => {
  t.notMatch(service.output, new RegExp(headers.authorization.slice(-40)));
  t.notMatch(service.output, /eyJ/);
  t.match(service.output, /"user":"ann"/);
  t.end();
});
