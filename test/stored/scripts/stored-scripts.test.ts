/** What requests find in the table of scripts. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { CREATE, insert, TestScripts } from '../registry/tables.js';

const LARGEST = 1 << 20;

const postgres = await startPostgres(t, {
  setup: [
    `${CREATE};`,
    insert('shop/list', 'common list'),
    insert('main:shop/list', 'own list'),
    insert('other:shop/list', 'list of another'),
    insert('shop/common', 'common', { write_sql: 'write', delete_sql: 'delete' }),
    insert('main:shop/common', null, { update_sql: 'own update' }),
    insert('shop/verbs', '', { write_sql: 'w', update_sql: 'u', delete_sql: 'd' }),
    insert('shop/none', null),
    insert('main:shop/none-here', ''),
    insert('shop/none-here', 'common'),
    insert('shop/broken', 'SELECT\n  {{if}}', { write_sql: 'sound' }),
    insert('shop/largest', 'x'.repeat(LARGEST), { write_sql: 'beside' }),
    insert('shop/too-large', 'x'.repeat(LARGEST + 1), { write_sql: 'beside' }),
    insert('Größe/ä_1-b', 'letters'),
    // What no path leads to.
    insert('shop/a.b', 'dot'),
    insert('shop/', 'empty'),
    insert('/list', 'empty'),
    insert(`shop/${'n'.repeat(64)}`, 'long'),
    insert(`shop/${'n'.repeat(100_000).slice(0, 2_000)}`, 'longer'),
    insert('../list', 'climbs'),
    insert(`${'m'.repeat(200)}:shop/odd`, 'odd alias'),
    insert(`shop/it's "quoted"; --`, 'quotes'),
    insert('shop/new\nline', 'line'),
  ].join('\n'),
});

const cases: [script: string, method: string, expected: string][] = [
  ['shop/list', 'GET', 'own list'],
  ['shop/list', 'HEAD', 'own list'],
  ['shop/list', 'POST', 'method_not_allowed GET, HEAD, OPTIONS'],
  ['shop/common', 'GET', 'method_not_allowed PUT, PATCH, OPTIONS'],
  ['shop/common', 'PATCH', 'own update'],
  ['shop/common', 'OPTIONS', 'PUT, PATCH, OPTIONS'],
  ['shop/verbs', 'GET', 'method_not_allowed POST, PUT, PATCH, DELETE, OPTIONS'],
  ['shop/verbs', 'POST', 'w'],
  ['shop/verbs', 'PUT', 'u'],
  ['shop/verbs', 'DELETE', 'd'],
  ['shop/verbs', 'LINK', 'method_not_allowed POST, PUT, PATCH, DELETE, OPTIONS'],
  ['shop/none', 'GET', 'script_not_found'],
  ['shop/none', 'OPTIONS', 'script_not_found'],
  ['shop/none-here', 'GET', 'script_not_found'],
  ['shop/missing', 'GET', 'script_not_found'],
  ['missing/list', 'GET', 'script_not_found'],
  ['shop/broken', 'GET', 'script_not_usable'],
  ['shop/broken', 'POST', 'sound'],
  ['shop/largest', 'GET', 'x'.repeat(LARGEST)],
  ['shop/too-large', 'GET', 'script_not_usable'],
  ['shop/too-large', 'POST', 'beside'],
  ['Größe/ä_1-b', 'GET', 'letters'],
  ['shop/a.b', 'GET', 'script_not_found'],
  ['shop/', 'GET', 'script_not_found'],
  ['/list', 'GET', 'script_not_found'],
  [`shop/${'n'.repeat(64)}`, 'GET', 'script_not_found'],
  ['../list', 'GET', 'script_not_found'],
  ['shop/odd', 'GET', 'script_not_found'],
];

t.test('a script, a method', async (t) => {
  const scripts = new TestScripts(t, postgres);
  const first = await Promise.all(cases.map(([script, method]) => scripts.ask(script, method)));
  cases.forEach(([script, method, expected], i) => {
    t.ok(first[i] === expected, `${method} ${script}: ${first[i]!.slice(0, 80)}`);
  });
  t.equal(await scripts.ask('shop/list', 'GET', 'other'), 'list of another');
  t.equal(await scripts.ask('shop/list', 'GET', 'third'), 'common list');
  t.equal(await scripts.ask('shop/common', 'GET', 'other'), 'common');
});

t.test('what is not usable stands in the log once, with its place', async (t) => {
  const scripts = new TestScripts(t, postgres);
  for (let i = 0; i < 3; i++)
    for (const script of ['shop/broken', 'shop/too-large']) await scripts.ask(script);
  t.match(scripts.logged, [
    { level: 'warn', script: 'shop/broken', verb: 'read', position: 'shop/broken:2:7' },
    { level: 'warn', script: 'shop/too-large', verb: 'read', msg: /larger than 1 MiB/ },
  ]);
  t.equal(scripts.logged.length, 2);
});

t.test('texts that do not fit pg.max_result keep no other from being read', async (t) => {
  const scripts = new TestScripts(t, postgres, { maxResult: 64 << 10 });
  t.equal(await scripts.ask('shop/largest'), 'script_not_usable');
  t.equal(await scripts.ask('shop/list'), 'own list');
  t.equal(await scripts.ask('shop/largest', 'POST'), 'script_not_usable');
  t.match(scripts.logged[0], { script: 'shop/largest', msg: /larger than pg.max_result/ });
});
