/** Names of tools: only those that clients accept, and no two meanings of one. */
import t from 'tap';
import { genericToolName, mayName, tableToolName, toolName } from '#app/mcp/tool-names.js';

type Name = string | undefined;

const LONG = 'x'.repeat(63);

t.test('the name of a table', (t) => {
  const cases: [alias: string, schema: string, name: string, dotted: Name, plain: Name][] = [
    [
      'main',
      'public',
      'item',
      'service.select.main.public.item',
      'service_select_main_public_item',
    ],
    [
      'prest-test',
      'public',
      'Reply',
      'service.select.prest-test.public.Reply',
      'service_select_prest-test_public_Reply',
    ],
    ['main', 'public', 'a.b', 'service.select.main.public.a.b', 'service_select_main_public_a_b'],
    ['main', 'public', 'two words', undefined, 'service_select_main_public_two_words'],
    ['main', 'public', 'größe', undefined, 'service_select_main_public_gr__e'],
    ['main', 'public', '😀', undefined, 'service_select_main_public__'],
    ['main', 'public', 'a\n', undefined, 'service_select_main_public_a_'],
    ['main', 'public', '"', undefined, 'service_select_main_public__'],
    ['main', 'public', LONG, `service.select.main.public.${LONG}`, undefined],
    ['main', LONG, LONG, undefined, undefined],
    [
      'main',
      'public',
      'x'.repeat(37),
      `service.select.main.public.${'x'.repeat(37)}`,
      `service_select_main_public_${'x'.repeat(37)}`,
    ],
    ['main', 'public', 'x'.repeat(38), `service.select.main.public.${'x'.repeat(38)}`, undefined],
  ];
  for (const [alias, schema, name, dotted, plain] of cases) {
    const table = { alias, schema, name };
    t.equal(tableToolName('dotted', table), dotted, `${schema}.${name}`);
    t.equal(tableToolName('plain', table), plain, `${schema}.${name}, plain`);
    if (dotted !== undefined) t.ok(mayName('dotted', alias, dotted));
    if (plain !== undefined) t.ok(mayName('plain', alias, plain));
    t.notOk(mayName('dotted', 'other', dotted ?? ''));
  }
  t.end();
});

t.test('a name of 128 characters is accepted, one of 129 is not', (t) => {
  const [service, rest] = ['service', 'x'.repeat(120)];
  t.equal(toolName('dotted', service, rest)?.length, 128);
  t.equal(toolName('dotted', service, `${rest}x`), undefined);
  t.equal(toolName('plain', service, 'x'.repeat(56))?.length, 64);
  t.equal(toolName('plain', service, 'x'.repeat(57)), undefined);
  t.end();
});

t.test('generic tools', (t) => {
  t.equal(genericToolName('dotted', 'list_tables'), 'service.list_tables');
  t.equal(genericToolName('plain', 'list_tables'), 'service_list_tables');
  t.end();
});
