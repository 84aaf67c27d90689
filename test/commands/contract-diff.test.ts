/** What `contract diff` calls breaking: each kind of change of a script or of its tables. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Change } from '#app/describe/contract/change.js';
import { startPostgres } from '../support/postgres.js';
import { makeFolder, run } from './program.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE books (id int PRIMARY KEY, title text NOT NULL, price int NOT NULL, note text, stock smallint NOT NULL, big bigint NOT NULL, code varchar(9) NOT NULL);
    CREATE TABLE widened (id int NOT NULL); CREATE TABLE loosened (id int NOT NULL); CREATE TABLE tightened (id int)`,
});
const env = { DATABASE_URL: server.url };

/** What happens to the tables between the two contracts. */
const MIGRATION = `ALTER TABLE widened ALTER id TYPE bigint; ALTER TABLE loosened ALTER id DROP NOT NULL;
  ALTER TABLE tightened ALTER id SET NOT NULL`;

interface Case {
  readonly about: string;
  readonly verb?: string;
  /** Undefined for a script that is new. */
  readonly old?: string;
  /** Undefined for a script that is gone. */
  readonly now?: string;
  /** Messages, with `!` before those that break callers. */
  readonly changes: readonly string[];
}

const SELECT = 'SELECT id FROM books';
const WHERE = `${SELECT} WHERE id = {{sqlVal "id"}}`;
const IF = (name: string, column = name): string => `{{if isSet "${name}"}} AND ${column} = {{sqlVal "${name}"}}{{end}}`; // prettier-ignore
const param = (declaration: string): string => `-- @param ${declaration}\n${SELECT} WHERE true${IF('p', 'title')}`; // prettier-ignore
const number = (declaration: string): string => `-- @param ${declaration}\n${SELECT} WHERE true${IF('p', 'id')}`; // prettier-ignore

const CASES: readonly Case[] = [
  { about: 'nothing', old: WHERE, now: `${WHERE} ORDER BY title`, changes: [] },
  { about: 'script gone', old: SELECT, changes: ['!the script is gone'] },
  { about: 'new script', now: SELECT, changes: ['new script'] },
  {
    about: 'new and required parameter',
    old: SELECT,
    now: `-- @param id integer required\n${WHERE}`,
    changes: ['!the parameter `id` is new, and required'],
  },
  {
    about: 'new parameter',
    old: SELECT,
    now: `${SELECT} WHERE true${IF('id')}`,
    changes: ['the parameter `id` is new'],
  },
  {
    about: 'parameter required',
    old: `${SELECT} WHERE true${IF('id')}`,
    now: `-- @param id integer required\n${WHERE}`,
    changes: ['!the parameter `id` is required now'],
  },
  {
    about: 'parameter not required any more',
    old: `-- @param id integer required\n${WHERE}`,
    now: `${SELECT} WHERE true${IF('id')}`,
    changes: ['the parameter `id` is not required any more'],
  },
  {
    about: 'parameter gone',
    old: `${SELECT} WHERE true${IF('id')}`,
    now: SELECT,
    changes: ['!the parameter `id` is gone, and ignored'],
  },
  {
    about: 'parameter gone from a strict script',
    old: `-- @strict\n${SELECT} WHERE true${IF('id')}`,
    now: `-- @strict\n${SELECT}`,
    changes: ['!the parameter `id` is gone, and refused'],
  },
  {
    about: 'claim gone',
    old: `${SELECT} WHERE title = {{sqlVal "claims.sub"}}`,
    now: SELECT,
    changes: ['the parameter `claims.sub` is gone'],
  },
  {
    about: 'strict',
    old: SELECT,
    now: `-- @strict\n${SELECT}`,
    changes: ['!parameters that the script does not know are refused now'],
  },
  {
    about: 'not strict any more',
    old: `-- @strict\n${SELECT}`,
    now: SELECT,
    changes: ['parameters that the script does not know are ignored now'],
  },
  {
    about: 'parameter needed under a condition',
    old: `${SELECT} WHERE true{{if eq (defaultOrValue "by" "id") "price"}} AND price > 0{{end}}${IF('least', 'price')}`,
    now: `-- @param by enum(id, price)\n-- @param least integer\n${SELECT} WHERE true{{if isSet "by"}}{{if eq .by "price"}} AND price > {{.least}}{{end}}{{end}}`,
    changes: [
      '!the parameter `by` takes only id, price',
      '!the parameter `least` is needed now when `by` is "price"',
    ],
  },
  {
    about: 'new parameter needed with another new one',
    old: SELECT,
    now: `-- @param by enum(id, price)\n-- @param least integer\n${SELECT} WHERE true{{if isSet "by"}}{{if eq .by "price"}} AND price > {{.least}}{{end}}{{end}}`,
    changes: [
      'the parameter `by` is new',
      'the parameter `least` is new, and needed when `by` is "price"',
    ],
  },
  {
    about: 'list becomes one value',
    old: `${SELECT} WHERE id IN {{sqlList "id"}}`,
    now: WHERE,
    changes: ['!the parameter `id` takes one value only, and took several'],
  },
  {
    about: 'one value becomes a list',
    old: WHERE,
    now: `${SELECT} WHERE id IN {{sqlList "id"}}`,
    changes: ['the parameter `id` takes several values'],
  },
  {
    about: 'narrower type',
    old: param('p text'),
    now: number('p integer'),
    changes: ['!the parameter `p` is integer now, and was text'],
  },
  {
    about: 'wider type',
    old: number('p integer'),
    now: number('p bigint'),
    changes: ['the parameter `p` is bigint now, and was integer'],
  },
  {
    about: 'enum with fewer and other values',
    old: param('p enum(a, b)'),
    now: param('p enum(a, c)'),
    changes: ['!the parameter `p` does not take b any more', 'the parameter `p` takes c too'],
  },
  {
    about: 'enum dropped',
    old: param('p enum(a, b)'),
    now: param('p text'),
    changes: ['the parameter `p` takes other values too'],
  },
  {
    about: 'closer bounds',
    old: number('p integer min=1 max=100'),
    now: number('p integer max=20 min=9'),
    changes: [
      '!the parameter `p` has min=9 now, and had 1',
      '!the parameter `p` has max=20 now, and had 100',
    ],
  },
  {
    about: 'wider bounds',
    old: number('p integer min=9 max=20'),
    now: number('p integer max=100'),
    changes: [
      'the parameter `p` has no min= any more, and had 9',
      'the parameter `p` has max=100 now, and had 20',
    ],
  },
  {
    about: 'pattern',
    old: param('p text pattern=[a-z]+'),
    now: param('p text pattern=[a-z0-9]+'),
    changes: ['!the parameter `p` has pattern=[a-z0-9]+ now, and had [a-z]+'],
  },
  {
    about: 'default',
    old: param('p text = a'),
    now: param('p text = b'),
    changes: ['!the default of `p` is "b", and was "a"'],
  },
  {
    about: 'column gone and added',
    old: 'SELECT id, title FROM books',
    now: 'SELECT id, price FROM books',
    changes: ['!the column `title` is gone', 'the column `price` is new'],
  },
  {
    about: 'column of another type',
    old: 'SELECT id FROM books',
    now: 'SELECT id::text FROM books',
    changes: ['!the column `id` is text now, and was integer'],
  },
  {
    about: 'column of a narrower type',
    old: 'SELECT big AS n FROM books',
    now: 'SELECT id AS n FROM books',
    changes: ['the column `n` is integer now, and was bigint'],
  },
  {
    about: 'texts alike',
    old: 'SELECT code AS c FROM books',
    now: 'SELECT title AS c FROM books',
    changes: [],
  },
  {
    about: 'column nullable',
    old: 'SELECT title FROM books',
    now: 'SELECT b.title FROM books a LEFT JOIN books b ON b.id = a.id + 1',
    changes: ['!the column `title` can be null now'],
  },
  {
    about: 'column not nullable any more',
    old: 'SELECT note AS t FROM books',
    now: `SELECT coalesce(note, '') AS t FROM books`,
    changes: ['the column `t` cannot be null now'],
  },
  {
    about: 'column only sometimes',
    old: 'SELECT id, title FROM books',
    now: 'SELECT id{{if isSet "full"}}, title{{end}} FROM books',
    changes: ['!the column `title` is there only sometimes now', 'the parameter `full` is new'],
  },
  {
    about: 'column always',
    old: 'SELECT id{{if isSet "full"}}, title{{end}} FROM books',
    now: 'SELECT id, title{{if isSet "full"}}{{end}} FROM books',
    changes: ['the column `title` is there always now'],
  },
  {
    about: 'table with a wider type',
    old: 'SELECT id FROM widened',
    now: 'SELECT id FROM widened',
    changes: ['!the column `id` is bigint now, and was integer'],
  },
  {
    about: 'table with a looser column',
    old: 'SELECT id FROM loosened',
    now: 'SELECT id FROM loosened',
    changes: ['!the column `id` can be null now'],
  },
  {
    about: 'table with a stricter column',
    old: 'SELECT id FROM tightened',
    now: 'SELECT id FROM tightened',
    changes: ['the column `id` cannot be null now'],
  },
  {
    about: 'shape',
    old: SELECT,
    now: `-- @one\n${SELECT}`,
    changes: ['!the response is one row now, and was a list of rows'],
  },
  {
    about: 'one value instead of rows',
    old: SELECT,
    now: '-- @scalar\nSELECT count(*) FROM books',
    changes: ['!the response is one value now, and was a list of rows'],
  },
  {
    about: 'one value under another name',
    old: '-- @scalar\nSELECT count(*) AS a FROM books',
    now: '-- @scalar\nSELECT count(*) AS b FROM books',
    changes: [],
  },
  {
    about: 'status and headers',
    verb: 'write',
    old: `-- @status 201\n-- @header X-Old: a\nDELETE FROM books RETURNING id`,
    now: `-- @header X-New: a\nDELETE FROM books RETURNING id`,
    changes: [
      '!the status is 200 now, and was 201',
      '!the header X-Old of the response is gone',
      'the header X-New of the response is new',
    ],
  },
  {
    about: 'paths',
    old: `-- @path /a/{id}\n-- @path /gone\n${WHERE}`,
    now: `-- @path /a/{number}\n-- @path /new\n${WHERE}`,
    changes: ['!the path /gone is gone', 'the path /new is new'],
  },
  {
    about: 'methods',
    verb: 'update',
    old: '-- @path PUT /m\n-- @path PATCH /n\nUPDATE books SET price = 1',
    now: '-- @path PATCH /m\n-- @path PUT, PATCH /n\nUPDATE books SET price = 1',
    changes: ['!PUT /m is gone', 'PATCH /m is new', 'PUT /n is new'],
  },
  {
    about: 'deprecated',
    old: SELECT,
    now: `-- @deprecated 2026-03-01 use another\n${SELECT}`,
    changes: ['the script is deprecated as of 2026-03-01'],
  },
  {
    about: 'less proved',
    old: `${SELECT} ORDER BY title`,
    now: `${SELECT} ORDER BY {{defaultOrValue "by" "title"}}`,
    changes: ['the script is open, and was proved', 'the parameter `by` is new'],
  },
];

const folder = makeFolder(t);
mkdirSync(join(folder, 'queries', 'case'), { recursive: true });
const fileOf = (i: number): string =>
  join(folder, 'queries', 'case', `n${i}.${CASES[i]!.verb ?? 'read'}.sql`);

t.before(async () => {
  for (const [i, { old }] of CASES.entries()) if (old !== undefined) writeFileSync(fileOf(i), old);
  const { code, stderr } = await run(folder, ['contract', '--out', 'old.json'], env);
  if (code !== 0) throw new Error(stderr);
  await server.sql(MIGRATION);
  for (const [i, { now }] of CASES.entries())
    if (now === undefined) rmSync(fileOf(i));
    else writeFileSync(fileOf(i), now);
});

t.test('each kind of change', async (t) => {
  const { code, stdout, stderr } = await run(folder, ['contract', 'diff', 'old.json', '--json'], env); // prettier-ignore
  t.equal(code, 0, stderr);
  const { changes, breaking, compatible } = JSON.parse(stdout) as {
    changes: readonly Change[];
    breaking: number;
    compatible: number;
  };
  for (const [i, { about, changes: expected }] of CASES.entries()) {
    const found = changes.filter(({ script }) => script === `case/n${i}`);
    const texts = found.map((change) => `${change.breaking ? '!' : ''}${change.message}`);
    t.strictSame(texts.sort(), [...expected].sort(), about);
  }
  const count = (start: boolean): number =>
    CASES.flatMap((one) => one.changes).filter((text) => text.startsWith('!') === start).length;
  t.equal(breaking, count(true));
  t.equal(compatible, count(false));
  t.equal(
    changes.findLastIndex((change) => change.breaking),
    breaking - 1,
    'breaking ones first',
  );
});

t.test('one script, which is gone', async (t) => {
  const diff = (script: string) => run(folder, ['contract', 'diff', 'old.json', '--script', script], env); // prettier-ignore
  t.match((await diff('case/n1')).stdout, '\n- case/n1 (read): the script is gone\n');
  t.match((await diff('case/n999')).stderr, /^error: there is no script "case\/n999"/);
});

t.test('between two files, as text', async (t) => {
  const { stdout } = await run(folder, ['contract', '--script', 'case/n5'], env);
  writeFileSync(join(folder, 'new.json'), stdout);
  const diff = (...args: string[]) => run(folder, ['contract', 'diff', ...args], {});
  const { code, stdout: text } = await diff('old.json', 'new.json', '--script', 'case/n5');
  t.equal(code, 0);
  t.equal(
    text,
    '1 breaking change, 0 compatible changes\n\nBreaking:\n\n- case/n5 (read): the parameter `id` is required now\n',
  );
  const args = ['old.json', 'new.json', '--script', 'case/n5'];
  t.equal((await diff(...args, '--breaking')).code, 1);
  t.equal((await diff('new.json', 'new.json', '--breaking')).stdout, 'no changes\n');
  t.equal((await diff('new.json', 'new.json', '--breaking')).code, 0);
  const input = readFileSync(join(folder, 'new.json'), 'utf8');
  const piped = await run(folder, ['contract', 'diff', '-', 'new.json'], {}, input);
  t.equal(piped.stdout, 'no changes\n');
  t.match(await run(folder, ['contract', 'diff', '-', 'new.json']), {
    code: 1,
    stderr: 'error: standard input is empty\n',
  });
  t.match(await run(folder, ['contract', 'diff', '-', '-'], {}, input), {
    code: 1,
    stderr: 'error: standard input can be only one of the contracts\n',
  });
});
