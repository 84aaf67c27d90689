/** Operators of filters: the rows that they find, and errors that name the operator, the column and what is accepted. */
import t from 'tap';
import { startToolDatabase } from '../arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE DOMAIN label AS text;
    CREATE TYPE pair AS (a int, b text);
    CREATE TABLE item (id int PRIMARY KEY, total numeric(10,2), note text, at timestamptz, yes bool, m mood, l label,
      u uuid, tags text[], numbers int[], jb jsonb, j json, r int4range, p pair, c char(5), big int8);
    INSERT INTO item VALUES
      (1, 10, 'damaged box', '2024-03-01Z', true, 'sad', 'one', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{a,b}', '{1,2}',
        '{"newsletter": true, "a": {"b": [1, 2]}}', '{"x": 1}', '[1,5)', '(1,x)', 'ab', 9007199254740993),
      (2, 20, 'Damaged', '2024-03-31Z', false, 'glad', 'two', NULL, '{b}', '{}',
        '{"newsletter": false}', '{"x": 2}', '[5,9)', '(2,y)', 'cd', 9007199254740992),
      (3, 30.5, '100%_\\', '2024-04-01Z', NULL, 'glad', NULL, NULL, '{"c d"}', NULL, '["x", 1]', NULL, NULL, NULL, NULL, 1),
      (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
});

for (const [filters, ids] of [
  [{ total: { '>=': 20 } }, [2, 3]],
  [{ total: { '>': 20 } }, [3]],
  [{ total: { '<': '20.00' } }, [1]],
  [{ total: { '>=': 10, '<': 30 } }, [1, 2]],
  [{ total: { '<=': 20, '!=': 10 } }, [2]],
  [{ total: { '=': 10 } }, [1]],
  [{ total: { '!=': 10 } }, [2, 3]],
  [{ total: { '=': null } }, [4]],
  [{ total: { '!=': null } }, [1, 2, 3]],
  [{ total: { not: null } }, [1, 2, 3]],
  [{ total: { not: 10 } }, [2, 3]],
  [{ total: { not: [10, 20] } }, [3]],
  [{ total: { not: { '>': 10 } } }, [1]],
  [{ total: { in: [10, '20'] } }, [1, 2]],
  [{ total: { 'not in': [10, 20] } }, [3]],
  [{ total: { gte: 20, lt: 30 } }, [2]],
  [{ total: { '<>': 10 } }, [2, 3]],
  [{ big: { '>=': '9007199254740993' } }, [1]],
  [{ big: '9007199254740992' }, [2]],
  [{ at: { '>=': '2024-03-01', '<': '2024-04-01' } }, [1, 2]],
  [{ note: { like: '%amaged%' } }, [1, 2]],
  [{ note: { like: 'damaged%' } }, [1]],
  [{ note: { 'not like': 'damaged%' } }, [2, 3]],
  [{ note: { ilike: 'DAMAGED%' } }, [1, 2]],
  [{ note: { 'not ilike': '%damaged%' } }, [3]],
  [{ note: { contains: 'DAMAGED' } }, [1, 2]],
  [{ note: { contains: '%_\\' } }, [3]],
  [{ note: { not: { contains: 'damaged' } } }, [3]],
  [{ note: { '>': 'd' } }, [1]],
  [{ l: { like: 't%' } }, [2]],
  [{ c: { like: 'a%' } }, [1]],
  [{ m: { ilike: 'GL%' } }, [2, 3]],
  [{ m: { '>': 'sad' } }, [2, 3]],
  [{ u: { like: 'a0eebc99%' } }, [1]],
  [{ yes: { '!=': true } }, [2]],
  [{ yes: { not: null } }, [1, 2]],
  [{ tags: 'b' }, [1, 2]],
  [{ tags: ['b'] }, [2]],
  [{ tags: '{b}' }, [2]],
  [{ tags: { contains: 'a' } }, [1]],
  [{ tags: { contains: ['b', 'a'] } }, [1]],
  [{ tags: { contains: [] } }, [1, 2, 3]],
  [{ tags: { contains: 'c d' } }, [3]],
  [{ tags: { not: { contains: 'b' } } }, [3]],
  [{ tags: { '!=': ['b'] } }, [1, 3]],
  [{ numbers: 2 }, [1]],
  [{ numbers: { contains: [1] } }, [1]],
  [{ jb: { newsletter: true } }, [1]],
  [{ jb: { a: { b: [2] } } }, [1]],
  [{ jb: {} }, [1, 2]],
  [{ jb: { contains: { newsletter: false } } }, [2]],
  [{ jb: { contains: 'x' } }, [3]],
  [{ jb: { contains: [1] } }, [3]],
  [{ jb: { not: { newsletter: true } } }, [2, 3]],
  [{ jb: { not: null } }, [1, 2, 3]],
  [{ jb: { '=': { newsletter: false } } }, [2]],
  [{ jb: '{"newsletter": false}' }, [2]],
  [{ j: { x: 2 } }, [2]],
  [{ p: { a: 1 } }, [1]],
  [{ r: '[1,5)' }, [1]],
  ['{"id": {"<": 3}}', [1, 2]],
] as const)
  t.test(JSON.stringify(filters), async (t) => {
    const { rows, error } = await db.select('item', { filters, columns: ['id'], order_by: 'id' });
    t.equal(error, undefined);
    t.strictSame(
      rows?.map(({ id }) => id),
      ids,
    );
  });

/** JSON.stringify cannot write what is nested very deeply. */
function named(filters: unknown): string {
  try {
    return JSON.stringify(filters).slice(0, 80);
  } catch {
    return 'deep';
  }
}

/** Levels of nesting that neither the service nor PostgreSQL may follow. */
function nested(levels: number, name: string): object {
  let value: object = { [name]: 1 };
  for (let i = 1; i < levels; i++) value = { [name]: value };
  return value;
}

for (const [filters, message] of [
  [
    { total: { about: 1 } },
    'filters.total: "about" is no operator for a column of type numeric(10,2). It takes a value, a list, null, or an object of "=", "!=", "<", "<=", ">", ">=", "in", "not in", "not".',
  ],
  [
    { total: { like: '1%' } },
    /^filters\.total: "like" is no operator for a column of type numeric/,
  ],
  [{ at: { ilike: '2024%' } }, /^filters\.at: "ilike" is no operator .*">="/],
  [{ yes: { '>': true } }, /^filters\.yes: ">" is no operator for a column of type boolean\./],
  [{ tags: { in: ['a'] } }, /^filters\.tags: "in" is no operator .*"contains"/],
  [{ r: { contains: 3 } }, /^filters\.r: "contains" is no operator/],
  [{ note: { constructor: 'a' } }, /^filters\.note: "constructor" is no operator/],
  [{ note: { "= 'x' OR true --": 'a' } }, /^filters\.note: "= 'x' OR true --" is no operator/],
  [{ total: {} }, /^filters\.total has no operator\. It takes a value/],
  [{ total: { in: 5 } }, 'filters.total: "in" takes a list of values, not 5.'],
  [{ total: { in: null } }, 'filters.total: "in" takes a list of values, not null.'],
  [{ total: { in: [] } }, /^filter array cannot be empty: total\./],
  [{ total: { in: [1, null] } }, /^filters\.total in must be a string, a number/],
  [{ total: { '>': null } }, /^filters\.total > must be .* not null\./],
  [{ total: { '>': [1] } }, /^filters\.total > must be .* not a list in a list\./],
  [{ total: { '>': { '>': 1 } } }, /^filters\.total > must be .* not an object\./],
  [{ total: { '>': 'x' } }, 'filters.total >: "x" is no value of its type, numeric(10,2).'],
  [{ total: { '>': 9007199254740993 } }, /^filters\.total >: this number is not exact any more\./],
  [{ total: 0.12345678901234568 }, /^filters\.total: this number is not exact any more\./],
  [{ note: { like: 5 } }, /^filters\.note like takes a pattern, .* not 5\./],
  [{ note: { like: 'a\0' } }, /^filters\.note like holds a character/],
  [{ note: { like: '%\\' } }, /^a value is not valid for the type of its column\./],
  [{ total: { not: { '>': 1, '<': 5 } } }, /^filters\.total: "not" takes/],
  [{ total: { not: { '!=': 1 } } }, /^filters\.total: "not" takes/],
  [{ total: nested(100_000, 'not') }, /^filters\.total: "not" takes/],
  [{ jb: nested(100_000, 'not') }, /^filters\.jb: "not" takes/],
  [{ jb: nested(100_000, 'a') }, 'filters.jb is nested too deeply.'],
  [{ jb: { contains: nested(100_000, 'a') } }, 'filters.jb contains is nested too deeply.'],
  [{ jb: { a: 9007199254740993 } }, /^filters\.jb: this number is not exact any more\./],
  [{ jb: { a: 'x\0' } }, /^filters\.jb holds a character/],
  [{ jb: { 'x\0': 1 } }, /^filters\.jb holds a character/],
  [{ numbers: 'x' }, 'filters.numbers: "x" is no value of its type, integer[] (send a list).'],
  [
    { m: { '>': 'mad' } },
    /^filters\.m >: "mad" is no value of its type, mood\. It is one of: sad, glad\./,
  ],
  [
    { totl: { '>': 1 } },
    /^unknown column: totl \(in filters\)\. Did you mean total\? The columns are: id, total/,
  ],
  [
    {
      total: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`${' '.repeat(i)}>`, 1])),
    },
    'filters holds 3000 values; 2000 are allowed at one time.',
  ],
  [[{ id: 1 }], /^filters must be an object/],
  ['{"id": ', /^filters must be an object/],
] as const)
  t.test(`refused: ${named(filters)}`, async (t) => {
    const { error } = await db.select('item', { filters });
    if (typeof message === 'string') t.equal(error, message);
    else t.match(error, message);
  });

t.test('a text with % that finds nothing gets a hint', async (t) => {
  const hinted = async (filters: object): Promise<unknown> => {
    const { hint } = (await db.select('item', { filters })) as { hint?: string };
    return hint;
  };
  t.equal(
    await hinted({ note: '%damaged%' }),
    'filters.note was compared with the text itself, % included. For a pattern send {"ilike": "%damaged%"}.',
  );
  t.match(await hinted({ note: ['x', 'dam%'] }), /^filters\.note was compared/);
  t.equal(await hinted({ note: '100%_\\' }), undefined, 'found');
  t.equal(await hinted({ note: { like: '%none%' } }), undefined);
  t.equal(await hinted({ note: { '=': '%none%' } }), undefined);
  t.equal(await hinted({ note: 'none' }), undefined);
});
