/** `/_docs/sql`: what a call of a script would send to the database, for whom, and that nothing runs or becomes known. */
import t from 'tap';
import { CREATE, insert } from '../stored/registry/tables.js';
import { startPostgres } from '../support/postgres.js';
import { startService, type AskOptions, type Service } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE things (id int, name text)' });
await postgres.sql('CREATE DATABASE second');

const ITEMS = `-- Items.
-- @path /v1/items/{id}
-- @param id integer required
SELECT id FROM things WHERE id = {{sqlVal "id"}}::int
{{if isSet "name"}}AND name = {{sqlVal "name"}}{{else}}AND true{{end}}
ORDER BY {{.order}}`;

const SCRIPTS = {
  'shop/items.read.sql': ITEMS,
  'shop/add.write.sql':
    'INSERT INTO things VALUES ({{sqlVal "body.id"}}::int, {{sqlVal "header.X-Name"}})',
  'shop/two.update.sql':
    'UPDATE things SET name = {{sqlVal "a"}}; DELETE FROM things WHERE name = {{sqlVal "b"}}',
  'shop/gone.delete.sql': 'DELETE FROM things',
  'shop/many.read.sql': 'SELECT {{sqlList "n"}}',
  'shop/listed.delete.sql': 'DELETE FROM things WHERE id IN {{sqlList "body.id"}}',
  'shop/set.write.sql': 'SET x = 1',
  'shop/broken.read.sql': 'SELECT {{if}} secret_column',
  'shop/one.read.sql': '-- @path /v1/twice\nSELECT 1',
  'shop/other.read.sql': '-- @path /v1/twice\nSELECT 2',
};

const JSON_BODY = { 'content-type': 'application/json' };

interface Shown {
  readonly script: string;
  readonly template: readonly { readonly text: string; readonly state: string }[];
  readonly statement: string;
  readonly values: readonly object[];
  readonly more_values: number;
}

async function shown(service: Service, call: string, options: AskOptions = {}): Promise<Shown> {
  const { status, text, json } = await service.ask(`/_docs/sql${call}`, options);
  if (status !== 200) throw new Error(`${call}: ${status} ${text}`);
  return json as Shown;
}

const texts = ({ template }: Shown, wanted: string): string[] =>
  template.filter(({ state }) => state === wanted).map(({ text }) => text);

t.test('with debug', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts: SCRIPTS,
    config: {
      context: '/api',
      debug: true,
      'http.host': '127.0.0.1',
      databases: [{ alias: 'second' }],
    },
  });

  const items = await shown(service, '/v1/items/7?order=id&name=a%20b');
  t.equal(items.script, 'shop/items');
  t.equal(items.template.map(({ text }) => text).join(''), ITEMS);
  t.match(texts(items, 'rendered').join(''), /sqlVal "id"[^]*AND name = \{\{sqlVal "name"\}\}/);
  t.strictSame(texts(items, 'skipped'), ['AND true']);
  t.match(items.statement, /id = \$1::int\nAND name = \$2\nORDER BY id$/);
  t.strictSame(items.values, [
    { parameter: 'id', value: '7' },
    { parameter: 'name', value: 'a b' },
  ]);
  t.equal(items.more_values, 0);

  const options = { method: 'POST', headers: { ...JSON_BODY, 'x-name': 'n' }, body: '{"id":3}' };
  t.match(await shown(service, '/_QUERIES/shop/add', options), {
    statement: 'INSERT INTO things VALUES ($1::int, $2)',
    values: [
      { parameter: 'body.id', value: '3' },
      { parameter: 'header.X-Name', value: 'n' },
    ],
  });
  for (const method of ['PUT', 'PATCH'])
    t.match(await shown(service, '/_QUERIES/second/shop/two?a=1', { method }), {
      statement: 'UPDATE things SET name = $1; DELETE FROM things WHERE name = $2',
      values: [
        { parameter: 'a', value: '1' },
        { parameter: 'b', value: null },
      ],
    });
  const gone = await shown(service, '/_QUERIES/shop/gone', { method: 'DELETE' });
  t.match(gone.statement, 'DELETE FROM things');
  t.strictSame(await postgres.sql('SELECT * FROM things'), [], 'nothing has run');

  const long = 'x'.repeat(10_001);
  const many = Array.from({ length: 999 }, (_, i) => `n=${i}`).join('&');
  const list = await shown(service, `/_QUERIES/shop/many?n=${long}&${many}`);
  t.equal(list.values.length, 1_000);
  t.strictSame(list.values[0], { parameter: 'n', value: long.slice(1), length: 10_001 });
  const body = JSON.stringify({ id: Array.from({ length: 2_000 }, (_, i) => i) });
  const array = await shown(service, '/_QUERIES/shop/add', { ...options, body });
  t.match(array.values[0], { parameter: 'body.id', value: /^\{"0","1",/ });
  const listed = await shown(service, '/_QUERIES/shop/listed', { ...options, method: 'DELETE', body }); // prettier-ignore
  t.strictSame([listed.values.length, listed.more_values], [1_000, 1_000]);
  t.match(listed.statement, /\$2000\)$/);

  const answer = await service.ask('/_docs/sql/v1/items/7?order=id');
  t.equal(answer.headers.get('cache-control'), 'private, no-store');
  const xml = await service.ask('/_docs/sql/v1/items/7?order=id&_renderer=xml');
  t.match(xml.text, /^<objects>[^]*ORDER BY/);
  const allowed = await service.ask('/_docs/sql/v1/items/7', { method: 'OPTIONS' });
  t.match([allowed.status, allowed.headers.get('allow')], [204, /^GET/]);
  const head = await service.ask('/_docs/sql/v1/items/7?order=id', { method: 'HEAD' });
  t.strictSame([head.status, head.text], [200, '']);

  await t.test('the errors are those of the call', async (t) => {
    const calls: [target: string, options?: AskOptions][] = [
      ['/v1/items/x?order=id'],
      ['/v1/items/7?order=id;%20DROP'],
      ['/v1/items/7?order=%ff'],
      ['/v1/items/7', { method: 'POST' }],
      ['/v1/nothing'],
      ['/v1/twice'],
      ['/_QUERIES/shop/nothing'],
      ['/_QUERIES/shop/broken'],
      ['/_QUERIES/shop/set', { method: 'POST' }],
      ['/_QUERIES/unknown/shop/items'],
      ['/_QUERIES/shop/a.b'],
      ['/_QUERIES/shop/add', { method: 'POST', headers: JSON_BODY, body: '{' }],
      [
        '/_QUERIES/shop/add',
        { method: 'POST', headers: { ...JSON_BODY, 'content-encoding': 'x' }, body: '{' },
      ],
      ['/_QUERIES/shop/add', { method: 'POST', headers: JSON_BODY, body: ' '.repeat(9 << 20) }],
    ];
    for (const [target, options] of calls) {
      const call = await service.ask(target, options);
      const sql = await service.ask(`/_docs/sql${target}`, options);
      t.ok(call.status >= 400, target);
      t.strictSame([sql.status, sql.text], [call.status, call.text], target);
    }
    for (const path of ['', '/', '/_health', '/_docs', '/_QUERIES/openapi.json', '/_PLUGIN/a/b'])
      t.equal((await service.ask(`/_docs/sql${path}`)).status, path === '/' ? 301 : 404, path);
  });

  await t.test('what the page may show', async (t) => {
    const access = await service.ask('/_docs/access');
    t.strictSame(access.json, {
      default: 'postgres',
      databases: ['postgres', 'second'],
      sql: true,
    });
    t.equal(access.headers.get('cache-control'), 'private, no-store');
    t.equal((await service.ask('/_docs/access', { method: 'POST' })).status, 405);
  });
  const { text: document } = await service.ask('/_QUERIES/openapi.json');
  t.match(document, '/v1/items/{id}');
  t.notMatch(document, /FROM things|INTO things/, 'nor has the OpenAPI document');
  t.notMatch(service.output, /FROM things|INTO things/, 'the log has no SQL');
});

const AUTH = {
  'http.host': '127.0.0.1',
  'auth.enabled': true,
  'auth.migrate_on_startup': false,
  'jwt.key': SECRET,
};

const bearer = (user: string): Record<string, string> =>
  user === '' ? {} : { authorization: `Bearer ${userToken(user)}` };

t.test('without debug, for users of the registry who may run the script', async (t) => {
  await postgres.sql([CREATE, insert('shop/items', ITEMS), insert('shop/other', 'SELECT 1')].join(';\n')); // prettier-ignore
  const read = { location: 'shop', permissions: ['read'] };
  const service = await startService(t, {
    database: postgres.url,
    config: {
      ...AUTH,
      databases: [{ alias: 'second' }, { alias: 'third', database: 'second' }],
      'jwt.whitelist': ['^/v1/.*$'],
      'queries.storage': 'database',
      'queries.register_enabled': true,
      'queries.register_admins': ['ann', 'root'],
      'queries.restrict': true,
      'queries.users': [
        { name: 'ann', scripts: [{ ...read, name: 'items', database: 'postgres' }] },
        { name: 'bob', scripts: [read] },
        { name: 'cid', scripts: [{ ...read, database: 'third' }] },
      ],
    },
  });
  const targets = ['/v1/items/7?order=id', '/_QUERIES/shop/items?id=7&order=id'];
  for (const target of targets) {
    const { json } = await service.ask(`/_docs/sql${target}`, { headers: bearer('ann') });
    t.match(json, { script: 'shop/items', statement: /ORDER BY id$/ }, target);
  }
  const refused = [...targets, '/v1/nothing', '/_QUERIES/shop/other', '/_QUERIES/a/nothing'];
  const outcomes = async (user: string, targets: readonly string[]): Promise<string[]> => {
    const found = new Set<string>();
    for (const target of targets)
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const options = { method, headers: bearer(user), ...(method === 'POST' && { body: '{}' }) };
        const { status, text, headers } = await service.ask(`/_docs/sql${target}`, options);
        found.add(`${status} ${text} ${headers.get('allow')}`);
      }
    return [...found];
  };
  const denied = ['403 {"error":"permission denied","code":"permission_denied"} null'];
  t.same(await outcomes('bob', refused), denied, 'who may run it is told nothing of it');
  const unknown = refused.filter((target) => target !== '/v1/nothing');
  t.same(await outcomes('root', unknown), denied, 'who may not run it neither');
  t.same(await outcomes('ann', ['/_QUERIES/second/shop/items', '/_QUERIES/a/b']), denied);
  const missing = await outcomes('', refused);
  t.equal(missing.length, 1, missing.join());
  t.match(missing[0], /^401 .*token_missing/, 'also where the call needs no token');
  const bad = await service.error('/_docs/sql/v1/items/7', {
    headers: { authorization: 'Bearer x' },
  });
  t.equal(bad, '401 invalid_token');

  const access: [user: string, databases: string[], sql: boolean][] = [
    ['ann', ['postgres'], true],
    ['root', ['postgres'], true],
    ['bob', ['postgres', 'second', 'third'], false],
    ['cid', ['postgres', 'third'], false],
    ['', ['postgres'], false],
  ];
  for (const [user, databases, sql] of access) {
    const { json } = await service.ask('/_docs/access', { headers: bearer(user) });
    t.strictSame(json, { default: 'postgres', databases, sql }, user);
  }
});

t.test('with debug and authentication, as for the call', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    scripts: SCRIPTS,
    config: { ...AUTH, debug: true, 'jwt.whitelist': ['^/v1/items/.*$'] },
  });
  const asked = (target: string, user = ''): Promise<string> =>
    service.error(`/_docs/sql${target}`, { headers: bearer(user) });
  t.equal(await asked('/v1/items/7?order=id'), '200', 'a path that needs no token');
  t.equal(await asked('/_QUERIES/shop/items?id=7&order=id'), '401 token_missing');
  t.equal(await asked('/_QUERIES/shop/items?id=7&order=id', 'ann'), '200');
});

t.test('nowhere without debug and registry, nor without the page', async (t) => {
  for (const config of [{ debug: false }, { debug: true, 'docs.page': false }]) {
    const service = await startService(t, {
      database: postgres.url,
      scripts: SCRIPTS,
      config: { 'http.host': '127.0.0.1', ...config },
    });
    t.equal(await service.error('/_docs/sql/_QUERIES/shop/items?id=7&order=id'), '404 not_found');
    const { status, json } = await service.ask('/_docs/access');
    if (config.debug) t.equal(status, 404);
    else t.strictSame(json, { default: 'postgres', databases: ['postgres'], sql: false });
  }
});
