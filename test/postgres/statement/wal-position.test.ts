/** Positions in the WAL: their text, what is none, and the position behind a commit. */
import t from 'tap';
import {
  committedPosition,
  formatPosition,
  laterPosition,
  parsePosition,
} from '#app/postgres/statement/wal-position.js';

t.test('texts', (t) => {
  const cases: readonly (readonly [text: string, timeline: number, lsn: bigint, again: string])[] =
    [
      ['1:0/3000148', 1, 0x3000148n, '1:0/3000148'],
      ['12:ab/00000001', 12, 0xab00000001n, '12:AB/1'],
      [
        '4294967295:FFFFFFFF/FFFFFFFF',
        4294967295,
        0xffffffffffffffffn,
        '4294967295:FFFFFFFF/FFFFFFFF',
      ],
      ['0/3000148', 0, 0x3000148n, '0:0/3000148'],
    ];
  for (const [text, timeline, lsn, again] of cases) {
    const position = parsePosition(text)!;
    t.strictSame(position, { timeline, lsn });
    t.equal(formatPosition(position), again);
  }
  t.end();
});

t.test('no positions', (t) => {
  const texts = [
    '',
    '0',
    '0/',
    '/0',
    '1:',
    '1:0',
    '1:0/0 ',
    ' 1:0/0',
    '1:0/0/0',
    'x:0/0',
    '-1:0/0',
  ];
  for (const text of [...texts, '1:0/g', '1:0/123456789', '12345678901:0/0', '1:0/0\n', '٣:0/0'])
    t.equal(parsePosition(text), undefined, JSON.stringify(text));
  t.end();
});

t.test('the later one', (t) => {
  const cases: readonly (readonly [one: string, other: string, later: string])[] = [
    ['1:0/1', '1:0/2', '1:0/2'],
    ['1:1/0', '1:0/FFFFFFFF', '1:1/0'],
    ['0:0/2', '3:0/1', '3:0/2'], // what has replayed this one has replayed both
  ];
  for (const [one, other, later] of cases) {
    const [a, b] = [parsePosition(one)!, parsePosition(other)!];
    t.equal(formatPosition(laterPosition(a, b)), later);
    t.equal(formatPosition(laterPosition(b, a)), later);
  }
  t.end();
});

t.test('behind a commit', (t) => {
  const at = (lsn: string, file = '000000020000000000000003', page = '8192'): string => {
    const position = committedPosition(`${lsn} ${file} ${page}`);
    return position === undefined ? 'none' : formatPosition(position);
  };
  t.equal(at('0/3000148'), '2:0/3000148');
  t.equal(at('0/3002018'), '2:0/3002000', 'behind the header of a page');
  t.equal(at('0/3000028'), '2:0/3000000', 'behind the longer header of a file');
  t.equal(at('0/3002030'), '2:0/3002030', 'behind a record');
  t.equal(at('0/3002018', '0000000A0000000000000003', '16384'), '10:0/3002018', 'within a page');
  t.equal(at('0/3000148', 'archive'), 'none');
  t.equal(at('x'), 'none');
  t.end();
});
