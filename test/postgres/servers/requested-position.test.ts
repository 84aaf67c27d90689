/** `Service-LSN` of a request: malformed lists, and the position of one database among those of others. */
import t from 'tap';
import { requestedPosition } from '#app/postgres/servers/requested-position.js';
import { formatPosition } from '#app/postgres/statement/wal-position.js';

const DEFAULT = 'shop';

/** The position for an alias in a header. */
function positionOf(value: string, alias: string, defaultAlias = DEFAULT): string | undefined {
  const headers = `accept\n*/*\nservice-lsn\n${value}`;
  const position = requestedPosition(headers, alias, defaultAlias);
  return position === undefined ? undefined : formatPosition(position);
}

t.test('refused, whichever database they are for', (t) => {
  // prettier-ignore
  const values = [
    '1', 'x', '1:0', '1:0/0/0', '-1:0/0', '1:0/1;1:0/2', '1:0/1 1:0/2', '1:0/1,', ',1:0/1', ',', ', ', '1:0/1,,1:0/2',
    'reports=', '=1:0/1', '=', 'reports=x', 'reports', 'reports:1:0/1', 'reports 1:0/1', 'reports= 1:0/1', 'reports =1:0/1',
    'reports=reports=1:0/1', 'a b=1:0/1', '"reports"=1:0/1', 'größe=1:0/1', 'gr%c3%b6%c3%9fe=1:0/1', 'gr%C3=%=1:0/1', '%=1:0/1',
    'reports=1:0/1; x', '1:0/1, reports=1:0/g', '1:0/1\u00a0', '\u00a01:0/1', '1:0/1\v', 'a'.repeat(9_000), `1:0/1${' '.repeat(9_000)}x`,
  ];
  for (const value of values)
    for (const alias of [DEFAULT, 'reports', 'other'])
      t.throws(
        () => positionOf(value, alias),
        { code: 'invalid_request', message: /^invalid Service-LSN: / },
        `${alias}: ${value.slice(0, 40)}`,
      );
  t.end();
});

t.test('the default one by its name, which may have any characters', (t) => {
  for (const [alias, name] of [
    ['shop', 'shop'],
    ['shop.v2', 'shop.v2'],
    ["a!b~c*'(d)", "a!b~c*'%28d%29"],
  ] as const)
    t.equal(positionOf(`${name}=1:0/1`, alias, alias), '1:0/1', alias);
  t.end();
});

t.test('the own one', (t) => {
  const cases: readonly (readonly [value: string, alias: string, position: string | undefined])[] =
    [
      ['1:0/1', DEFAULT, '1:0/1'],
      ['0/1', DEFAULT, '0:0/1'],
      ['shop=1:0/1', DEFAULT, '1:0/1'],
      ['1:0/1', 'reports', undefined],
      ['reports=1:0/2', 'reports', '1:0/2'],
      ['reports=0/2', 'reports', '0:0/2'],
      ['reports=1:0/2', DEFAULT, undefined],
      ['reports=1:0/2', 'Reports', undefined],
      ['reports=1:0/2', 'report', undefined],
      ['1:0/1, reports=1:0/2', DEFAULT, '1:0/1'],
      ['1:0/1, reports=1:0/2', 'reports', '1:0/2'],
      ['1:0/1,reports=1:0/2\t,\t a-b_C=1:0/3', 'a-b_C', '1:0/3'],
      ['gr%C3%B6%C3%9Fe=1:0/1', 'größe', '1:0/1'],
      ['1:0/1, 1:0/3, 1:0/2', DEFAULT, '1:0/3'],
      ['reports=1:0/3, reports=2:0/2', 'reports', '2:0/3'],
    ];
  for (const [value, alias, position] of cases)
    t.equal(positionOf(value, alias), position, `${alias}: ${value}`);
  t.end();
});

t.test('several headers, and none', (t) => {
  const read = (headers: string): unknown => requestedPosition(headers, DEFAULT, DEFAULT);
  t.equal(read(''), undefined);
  t.equal(read('accept\n*/*'), undefined);
  t.equal(read('x-service-lsn\n1:0/1'), undefined);
  t.strictSame(read('service-lsn\nreports=1:0/9\naccept\n*/*\nservice-lsn\n1:0/1'), {
    timeline: 1,
    lsn: 1n,
  });
  t.throws(() => read('service-lsn\n1:0/1\nservice-lsn\nx'), { code: 'invalid_request' });
  t.end();
});
