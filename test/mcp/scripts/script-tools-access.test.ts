/** Scripts as tools exist only for callers who may run them. */
import t from 'tap';
import type { ScriptAccessSettings } from '#app/messages/access-settings.js';
import { startPostgres } from '../../support/postgres.js';
import { TestedScripts } from '../tested-scripts.js';

const postgres = await startPostgres(t);

const TEXTS = {
  'shop/list': 'SELECT 1 AS n',
  'shop/stock': 'SELECT 2 AS n WHERE {{sqlVal "id"}} = {{sqlVal "id"}}',
  'shop/stock.write.sql': 'SELECT 3',
  'staff/pay': 'SELECT 4 AS n',
};

const entry = (location: string, name: string, permissions: string[], database?: string) => ({
  database,
  location,
  name,
  permissions,
});

const scriptAccess: ScriptAccessSettings = {
  scripts: [entry('shop', 'list', ['read']), entry('shop', 'stock', ['write'])],
  users: [
    {
      name: 'ann',
      scripts: [entry('shop', '*', ['read', 'write']), entry('staff', '*', ['read'], 'other')],
    },
    { name: 'bob', scripts: [entry('shop', 'list', [])] },
    { name: 'eve', scripts: [entry('*', '*', ['delete', 'write'])] },
  ],
};

const cases: [user: string | undefined, names: string][] = [
  [undefined, ''], // without a token: where scripts are restricted they need one
  ['', 'main.shop.list other.shop.list'],
  ['carl', 'main.shop.list other.shop.list'],
  ['ann', 'main.shop.list main.shop.stock other.shop.list other.shop.stock other.staff.pay'],
  ['bob', ''],
  ['eve', ''],
];

t.test('callers see and run their own', async (t) => {
  const scripts = new TestedScripts(t, postgres, {
    texts: TEXTS,
    settings: { scriptAccess },
    aliases: ['main', 'other'],
  });
  const all = ['main', 'other'].flatMap((alias) =>
    ['shop/list', 'shop/stock', 'staff/pay'].map((path) => `${alias}/${path}`),
  );
  for (let round = 0; round < 2; round++)
    for (const [user, names] of cases) {
      const caller = user === undefined ? {} : { user };
      t.equal(await scripts.names(caller), names, `${user} sees`);
      for (const script of all) {
        // Callers who may not run it learn neither its arguments nor that it exists.
        const expected = names.split(' ').includes(script.replaceAll('/', '.'))
          ? script.endsWith('stock')
            ? 'error: missing: id. The script needs it.'
            : `{"rows":[{"n":${script.endsWith('list') ? 1 : 4}}],"count":1}`
          : 'unknown tool';
        t.equal(await scripts.run(script, {}, caller), expected, `${user} runs ${script}`);
      }
    }
});

t.test('scopes of the token', async (t) => {
  const scripts = new TestedScripts(t, postgres, {
    texts: TEXTS,
    settings: {
      scriptAccess: {
        scripts: [{ ...entry('staff', 'pay', ['read']), scope: ['pay'] }],
        users: [],
      },
    },
  });
  const named = (scope: string): Promise<string> =>
    scripts.names({ user: 'ann', claims: JSON.stringify({ sub: 'ann', scope }) });
  for (let round = 0; round < 2; round++) {
    t.equal(await named('x'), '');
    t.equal(await named('x pay'), 'main.staff.pay');
    t.equal(await named('pay x'), 'main.staff.pay');
  }
});

t.test(
  'without entries all scripts are denied, without the setting all are permitted',
  async (t) => {
    const none = { scriptAccess: { scripts: [], users: [] } };
    const closed = new TestedScripts(t, postgres, { texts: TEXTS, settings: none });
    t.equal(await closed.names({ user: 'ann' }), '');
    const open = new TestedScripts(t, postgres, { texts: TEXTS });
    t.equal(await open.names(), 'main.shop.list main.shop.stock main.staff.pay');
  },
);
