/** Every kind of value that may not be interpolated, through HTTP: refused when rendered, harmless when bound. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const KEYWORDS =
  'all alter and any as between by call case cast copy create database delete distinct do drop except exec execute exists fetch from grant group having ilike insert intersect into join lateral like limit not null offset only or order over returning revoke schema select set similar table then truncate union update using values when where window with';

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'v/both.read.sql': `SELECT '{{.a}}' AS v`,
    'v/bound.read.sql': 'SELECT {{sqlVal "a"}} AS v',
  },
});
const query = (value: string): string => `a=${encodeURIComponent(value)}`;

async function refused(value: string): Promise<boolean> {
  const error = await service.error(`v/both?${query(value)}`);
  return error === '400 invalid_value';
}

t.test('characters', async (t) => {
  const allowed = /[A-Za-z0-9_.:@/\\ -]/;
  for (let code = 1; code < 128; code++) {
    const c = String.fromCharCode(code);
    t.equal(await refused(`x${c}y`), !allowed.test(c), `character ${code}`);
  }
  for (const c of ['é', '\u00a0', '\u2019', '\uff07', '😀', '٣', '\u202e'])
    t.ok(await refused(c), `character ${c.codePointAt(0)!}`);
});

t.test('keywords, in values of several words', async (t) => {
  for (const word of KEYWORDS.split(' ')) {
    for (const value of [`x ${word}`, `${word.toUpperCase()} x`, `x 01${word} x`, `x/${word} y`])
      t.ok(await refused(value), value);
    for (const value of [word, `x ${word}s`, `x _${word}`, `x-${word}`])
      t.notOk(await refused(value), value);
  }
});

t.test(
  'keywords behind numbers, as PostgreSQL before version 15 and from 16 on reads them',
  async (t) => {
    for (const number of ['1e0', '1.e5', '.5e1', '0x1', '0o7', '0b1', '1_000e1_0'])
      t.ok(await refused(`${number}or true`), number);
    for (const value of ['4door sedan', '1e0or', '1eor x']) t.notOk(await refused(value), value);
  },
);

t.test('pairs of characters', async (t) => {
  for (const value of ['a--b', '--', 'a::b', '::', ' -- ']) t.ok(await refused(value), value);
  for (const value of ['', ' ', 'a-b', 'a:b', '2024-01-01 10:00:00', 'C:\\dir', 'a@b.example'])
    t.notOk(await refused(value), value);
});

t.test('bound, anything goes', async (t) => {
  for (const v of ["'", '"; DROP TABLE x; --', 'select from', '$1', '{{.a}}', '\\', '😀', 'null'])
    t.same(await service.rows(`v/bound?${query(v)}`), [{ v }]);
});
