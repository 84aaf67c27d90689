/** Statements that fail: the message for the model, which contains only values that were sent, and the log line. */
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { ToolDatabase, callOf, read, startToolDatabase } from './arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE TABLE item (id int, small int2, at date, moment timestamptz, name text, u uuid, m mood, tags int[], j json, jb jsonb, p point,
      x xml, b bool);
    INSERT INTO item (id, j, p, x) VALUES (1, '{}', '(1,2)', '<a/>');
    CREATE TABLE hidden (word text); INSERT INTO hidden VALUES ('secret word');
    CREATE VIEW casts AS SELECT word::int AS n FROM hidden;
    CREATE VIEW guessed AS SELECT word, word::int AS n FROM hidden;
    CREATE VIEW divides AS SELECT 1 / (length(word) - 11) AS n FROM hidden;
    CREATE FUNCTION tells(text) RETURNS int LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''it is %'', $1 USING HINT = $1; END';
    CREATE VIEW raises AS SELECT tells(word) AS n FROM hidden;
    CREATE FUNCTION status(text) RETURNS int LANGUAGE plpgsql AS
      'BEGIN RAISE SQLSTATE ''PT418'' USING MESSAGE = $1; END';
    CREATE VIEW teapot AS SELECT status(word) AS n FROM hidden;
    CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO hidden VALUES (''x'') RETURNING 1';
    CREATE VIEW written AS SELECT writes() AS n;
    CREATE FUNCTION peeks() RETURNS text LANGUAGE sql AS 'SELECT word FROM hidden';
    CREATE VIEW peeked AS SELECT peeks() AS word;
    CREATE ROLE ann NOLOGIN; GRANT SELECT ON peeked TO ann; GRANT SELECT (id, name) ON item TO ann`,
});

for (const [what, table, args, error] of [
  [
    'no integer',
    'item',
    { filters: { id: 'x' } },
    'filters.id: "x" is no value of its type, integer.',
  ],
  [
    'an empty integer',
    'item',
    { filters: { id: '' } },
    'filters.id: "" is no value of its type, integer.',
  ],
  [
    'a fraction',
    'item',
    { filters: { id: 1.5 } },
    'filters.id: "1.5" is no value of its type, integer.',
  ],
  [
    'true as an integer',
    'item',
    { filters: { id: true } },
    'filters.id: "true" is no value of its type, integer.',
  ],
  [
    'one of a list',
    'item',
    { filters: { id: [1, 'x', 2] } },
    'filters.id: "x" is no value of its type, integer.',
  ],
  [
    'too large',
    'item',
    { filters: { small: 99999 } },
    'filters.small: "99999" is no value of its type, smallint.',
  ],
  [
    'no date',
    'item',
    { filters: { at: '2024-02-30', id: 1 } },
    'filters.at: "2024-02-30" is no value of its type, date.',
  ],
  [
    'no time',
    'item',
    { filters: { moment: 'soon' } },
    'filters.moment: "soon" is no value of its type, timestamp with time zone.',
  ],
  ['no uuid', 'item', { filters: { u: '1' } }, 'filters.u: "1" is no value of its type, uuid.'],
  [
    'no array',
    'item',
    { filters: { tags: '{5' } },
    'filters.tags: "{5" is no value of its type, integer[] (send a list).',
  ],
  [
    'no number in an array',
    'item',
    { filters: { tags: ['5', 'x'] } },
    'filters.tags: "x" is no value of its type, integer[] (send a list).',
  ],
  [
    'no JSON',
    'item',
    { filters: { jb: 'abc' } },
    /^a value is not valid for the type of its column\. Look at the filters: jb \(jsonb/,
  ],
  [
    'not allowed by the enumeration',
    'item',
    { filters: { m: 'mad' } },
    /^filters\.m: "mad" is no value of its type, mood\./,
  ],
  [
    'the same in two filters',
    'item',
    { filters: { id: 'x', small: 'x', name: 'y' } },
    'a value is not valid for the type of its column. Look at the filters: id (integer), small (smallint), name (text).',
  ],
  [
    'a value that is too long to be repeated',
    'item',
    { filters: { id: 'x'.repeat(5_000) } },
    'a value is not valid for the type of its column. Look at the filters: id (integer).',
  ],
  [
    'quotes in a value',
    'item',
    { filters: { id: `x"y'` } },
    `filters.id: "x\\"y'" is no value of its type, integer.`,
  ],
  [
    'no equality',
    'item',
    { filters: { j: '{}', id: 1 } },
    'a column has a type that cannot be compared. Leave it out of filters and order_by: j (json), id (integer).',
  ],
  [
    'no equality in a list',
    'item',
    { filters: { x: ['<a/>', '<b/>'] } },
    /^a column has a type that cannot be compared\. .*: x \(xml\)\.$/,
  ],
  [
    'no order',
    'item',
    { order_by: ['p'] },
    /^a column has a type that cannot be compared\. .*: p \(point\)\.$/,
  ],
  [
    'what a view computes',
    'casts',
    {},
    'a value in the table, or computed by the view, is not valid there. Try other columns.',
  ],
  [
    'what a view computes, beside a filter',
    'casts',
    { filters: { n: 5 } },
    'a value is not valid for the type of its column. Look at the filters: n (integer).',
  ],
  [
    'what a view computes of a guess',
    'guessed',
    { filters: { word: 'secret word' } },
    'a value is not valid for the type of its column. Look at the filters: word (text).',
  ],
  [
    'a division by zero',
    'divides',
    {},
    'a value in the table, or computed by the view, is not valid there. Try other columns.',
  ],
  ['what a function raises', 'raises', {}, /^the database could not run the statement\./],
  [
    'what a function raises, with a status',
    'teapot',
    {},
    /^the database could not run the statement\./,
  ],
  [
    'a view that writes',
    'written',
    {},
    'writes are not possible here: the transaction can only read, and what was asked for (a view or a function in it) writes.',
  ],
] as const)
  t.test(what, async (t) => {
    const before = db.logged.length;
    const answer = await db.select(table, args);
    if (typeof error === 'string') t.equal(answer.error, error);
    else t.match(answer.error, error);
    t.notMatch(answer.error, /secret/);
    const [line, ...more] = db.logged.slice(before);
    t.strictSame(more, []);
    t.match(line, {
      level: /^(raises|teapot)$/.test(table) ? 'info' : 'warn', // raised on purpose
      requestId: 'r1',
      alias: 'main',
      schema: 'public',
      table,
      state: /^\w{5}$/,
    });
    t.notMatch(JSON.stringify(line), /secret|SELECT|xxx|mad|99999|1\.5/);
    t.match(await db.select('item', { columns: ['id'] }), { count: 1 }, 'the next one runs');
  });

t.test('a caller with a role', async (t) => {
  const asAnn = async (table: string, args: object = {}): Promise<unknown> => {
    const all = { schema: 'public', table, ...args };
    return read(await db.run('service.select_table', all, callOf('ann')));
  };
  t.match(await asAnn('item', { columns: ['id', 'name'] }), { rows: [{ id: 1 }] });
  t.strictSame(await asAnn('peeked'), { error: 'permission denied' });
  t.match(db.logged.at(-1), { level: 'warn', table: 'peeked', state: '42501' });
});

t.test('an unknown role', async (t) => {
  const outcome = await db.run(
    'service.select_table',
    { schema: 'public', table: 'item' },
    callOf('nobody'),
  );
  t.strictSame(outcome, { error: 'permission denied' });
});

t.test('the database knows the caller, for one statement', async (t) => {
  await db.postgres.sql(
    `CREATE VIEW claims AS SELECT current_setting('request.jwt.claims', true) AS c; GRANT SELECT ON claims TO ann`,
  );
  const select = async (role: string, claims: string): Promise<unknown> =>
    read(
      await db.run(
        'service.select_table',
        { schema: 'public', table: 'claims' },
        callOf(role, claims),
      ),
    );
  t.match(await select('ann', '{"sub":"ann"}'), { rows: [{ c: '{"sub":"ann"}' }] });
  t.match(await select('', ''), { rows: [{ c: /^$/ }] });
});

t.test('an unreachable database', async (t) => {
  const postgres = await startOwnPostgres(t, { setup: 'CREATE TABLE item (id int)' });
  const unreachable = new ToolDatabase(t, postgres, {});
  t.match(await unreachable.select('item', { columns: ['id'] }), { rows: [] });
  await postgres.stop();
  for (let i = 0; i < 5; i++) {
    const { error } = await unreachable.select('item', { columns: ['id'] });
    t.equal(error, 'the database cannot be reached now. Send the same call again in a while.');
  }
});
