/** Names of tools: only those that clients accept, and no two meanings of one. */
import t from 'tap';
import {
  FORMS,
  formOf,
  GENERIC_TOOLS,
  genericToolName,
  mayName,
  tableToolName,
  toolName,
} from '#app/mcp/arguments/tool-names.js';

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;
const LONG = 'x'.repeat(63);

/** A name that ends with a digest. */
const digested = (beginning: string): RegExp => new RegExp(`^${beginning}_[0-9a-f]{8}$`);

t.test('the name of a table', (t) => {
  const cases: [
    alias: string,
    schema: string,
    name: string,
    dotted: string | undefined,
    plain: string | RegExp,
  ][] = [
    ['main', 'public', 'item', 'service.select.main.public.item', 'select_main_public_item'],
    [
      'prest-test',
      'public',
      'Order_item',
      'service.select.prest-test.public.Order_item',
      'select_prest-test_public_Order_item',
    ],
    ['main', 'a_b', 'c', 'service.select.main.a_b.c', digested('select_main_a_b_c')],
    ['my_db', 'a', 'c', 'service.select.my_db.a.c', digested('select_my_db_a_c')],
    ['main', 'public', 'a.b', 'service.select.main.public.a.b', digested('select_main_public_a_b')],
    ['main', 'public', 'two words', undefined, digested('select_main_public_two_words')],
    ['main', 'public', 'größe', undefined, digested('select_main_public_gr__e')],
    ['main', 'public', '😀', undefined, digested('select_main_public__')],
    ['main', 'public', 'a\n', undefined, digested('select_main_public_a_')],
    ['main', 'public', '"', undefined, digested('select_main_public__')],
    [
      'main',
      'public',
      LONG,
      `service.select.main.public.${LONG}`,
      digested(`select_main_public_${'x'.repeat(36)}`),
    ],
    ['main', LONG, LONG, undefined, digested(`select_main_${'x'.repeat(43)}`)],
    [LONG, LONG, LONG, undefined, digested(`select_${'x'.repeat(48)}`)],
    [
      'main',
      'public',
      'x'.repeat(45),
      `service.select.main.public.${'x'.repeat(45)}`,
      `select_main_public_${'x'.repeat(45)}`,
    ],
  ];
  for (const [alias, schema, name, dotted, plain] of cases) {
    const table = { alias, schema, name };
    t.equal(tableToolName('dotted', table), dotted, `${schema}.${name}`);
    const other = tableToolName('plain', table)!;
    t.match(other, plain, `${schema}.${name}, plain`);
    t.match(other, PLAIN);
    t.equal(tableToolName('plain', table), other, 'stable');
    if (dotted !== undefined) t.ok(mayName(alias, dotted));
    t.ok(mayName(alias, other));
    t.notOk(mayName('other', dotted ?? ''));
    t.notOk(mayName('other', other));
  }
  t.end();
});

t.test('plain names are different for different tables and scripts', (t) => {
  const parts = ['a', 'b', 'a_b', 'b_a', '_', 'a.b', 'a b', 'é', 'è', LONG, `${LONG}y`.slice(1)];
  const names = new Set<string>();
  for (const kind of ['select', 'script'] as const)
    for (const alias of parts)
      for (const group of parts)
        for (const name of parts) names.add(toolName('plain', kind, [alias, group, name])!);
  t.equal(names.size, 2 * parts.length ** 3);
  for (const name of GENERIC_TOOLS) t.notOk(names.has(genericToolName('plain', name)));
  t.end();
});

t.test('a dotted name of 128 characters is accepted, one of 129 is not', (t) => {
  const name = 'x'.repeat(109);
  t.equal(toolName('dotted', 'script', ['a', 'b', name])?.length, 128);
  t.equal(toolName('dotted', 'script', ['a', 'b', `${name}x`]), undefined);
  t.end();
});

t.test('generic tools', (t) => {
  t.equal(genericToolName('dotted', 'list_tables'), 'service.list_tables');
  t.equal(genericToolName('plain', 'list_tables'), 'list_tables');
  for (const form of FORMS)
    for (const name of GENERIC_TOOLS) t.equal(formOf(genericToolName(form, name)), form);
  t.end();
});
