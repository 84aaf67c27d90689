/** What a validation says about the callers of a stored script that is replaced. */
import t from 'tap';
import type { TextChange, UnknownChange } from '#app/stored/registry/contract-changes.js';
import { TestDatabase } from '../../support/database.js';
import { Gate, GATES } from '../../support/gate.js';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry, type Ask, type Told } from './tested-registry.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, note text);
    CREATE TABLE old (id int); ${GATES}`,
});
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

interface Validated {
  readonly changes?: readonly TextChange[];
  readonly unknown?: readonly UnknownChange[];
}

/** `! message` for each change that breaks callers, `message` for others. */
function changesIn({ json }: Told): string[] {
  const { changes = [] } = json as Validated;
  return changes.map(({ verb, breaking, message }) => `${breaking ? '! ' : ''}${verb}: ${message}`);
}

function unknownIn({ json }: Told): string[] {
  return ((json as Validated).unknown ?? []).map(({ verb, what }) => `${verb}: ${what}`);
}

const READ =
  'SELECT id, name FROM item WHERE true {{if isSet "q"}}AND name = {{sqlVal "q"}}{{end}}';
const read = (read_sql: string): Ask => ({ body: { read_sql } });

t.test('nothing is said about a script that is new, or stays as it is', async (t) => {
  for (const [status, mode] of [
    [201, 'true'],
    [200, 'true'],
    [200, 'only'],
    [200, 'compatible'],
  ] as const) {
    const told = await registry.ask(`PUT /c/same?validate=${mode}`, read(READ));
    t.equal(told.status, status, mode);
    t.notOk('changes' in (told.json as object) || 'unknown' in (told.json as object));
  }
});

const CASES: readonly (readonly [about: string, text: string, changes: readonly string[]])[] = [
  ['a comment', `${READ} -- more`, []],
  [
    'a parameter that is required now, and a column that can be null',
    '-- @param q text required\nSELECT id, name, note FROM item WHERE name = {{sqlVal "q"}}',
    ['! read: the parameter `q` is required now', 'read: the column `note` is new'],
  ],
  [
    'exact nullability',
    'SELECT i.id, o.name FROM item i LEFT JOIN item o ON o.id = i.id + 1 WHERE true {{if isSet "q"}}AND i.name = {{sqlVal "q"}}{{end}}',
    ['! read: the column `name` can be null now'],
  ],
  [
    'a column that is gone, and a new path',
    `-- @path /v1/items\n${READ.replace(', name', '')}`,
    ['! read: the column `name` is gone', 'read: the path /v1/items is new'],
  ],
];

for (const [about, text, changes] of CASES)
  t.test(about, async (t) => {
    await registry.ask('PUT /c/rec', read(READ));
    const only = await registry.ask('PUT /c/rec?validate=only', read(text));
    t.strictSame(changesIn(only), changes);
    const refused = await registry.ask('PUT /c/rec?validate=compatible', read(text));
    const breaks = changes.some((change) => change.startsWith('!'));
    t.equal(refused.status, breaks ? 409 : 200);
    t.strictSame(changesIn(refused), changes);
    t.match((await registry.ask('GET /c/rec')).json, { read_sql: breaks ? READ : text });
    await registry.ask('PUT /c/rec', read(READ));
    const put = await registry.ask('PUT /c/rec?validate=true', read(text));
    t.equal(put.status, 200);
    t.strictSame(changesIn(put), changes);
    t.match((await registry.ask('GET /c/rec')).json, { read_sql: text });
    t.equal((await registry.ask('PUT /c/rec', { body: put.json })).status, 200, 'can be sent back');
  });

t.test('members of a change, and of the refusal', async (t) => {
  await registry.ask('PUT /c/rec', read(READ));
  const { status, json } = await registry.ask(
    'PUT /c/rec?validate=compatible',
    read('SELECT id FROM item'),
  );
  t.equal(status, 409);
  t.strictSame(json, {
    error:
      'the change breaks callers: the parameter `q` is gone, and ignored; the column `name` is gone',
    code: 'breaking_change',
    changes: [
      {
        verb: 'read',
        breaking: true,
        kind: 'parameter removed',
        name: 'q',
        message: 'the parameter `q` is gone, and ignored',
      },
      {
        verb: 'read',
        breaking: true,
        kind: 'column removed',
        name: 'name',
        message: 'the column `name` is gone',
      },
    ],
  });
});

t.test('verbs that are gone or new', async (t) => {
  const delete_sql = 'DELETE FROM item WHERE id = {{sqlVal "id"}}';
  await registry.ask('PUT /c/verbs', { body: { read_sql: READ, delete_sql } });
  const write_sql = 'INSERT INTO item (id, name) VALUES (1, {{sqlVal "name"}})';
  const told = await registry.ask('PUT /c/verbs?validate=only', {
    body: { read_sql: READ, write_sql },
  });
  t.strictSame(changesIn(told), ['! delete: the script is gone', 'write: new script']);
});

t.test('a rollback, and POST to the registry', async (t) => {
  await registry.ask('PUT /c/back', read('SELECT id FROM item'));
  const [{ version }] = (await registry.ask('GET /c/back?history')).json as [{ version: number }];
  await registry.ask('PUT /c/back', read('SELECT id, name FROM item'));
  const back = `POST /c/back?rollback=${version}&validate=compatible`;
  t.match(await registry.error(back), /^409 breaking_change: .*`name` is gone/);
  const posted = {
    location: 'c',
    name: 'back',
    read_sql: 'SELECT 1::bigint AS id, name FROM item',
  };
  t.match(
    await registry.error('POST /?validate=compatible', { body: posted }),
    /^409 breaking_change: .*`id` is bigint now, and was integer/,
  );
});

t.test(
  'the stored text is broken or no template: that is said, and it can be replaced',
  async (t) => {
    const what = 'read: what changes for callers: the stored text is broken';
    await registry.ask('PUT /c/broken', read('SELECT id FROM old'));
    await server.sql('DROP TABLE old');
    const told = await registry.ask('PUT /c/broken?validate=only', read(READ));
    t.strictSame([changesIn(told), unknownIn(told)], [[], [what]]);
    t.equal((await registry.ask('PUT /c/broken?validate=compatible', read(READ))).status, 200);
    await server.sql(`UPDATE service_queries SET read_sql = '{{if' WHERE name = 'broken'`);
    const invalid = await registry.ask('PUT /c/broken?validate=compatible', read(READ));
    t.strictSame([invalid.status, unknownIn(invalid)], [200, [what]]);
  },
);

t.test('no time for the proof: that is said, and compatible refuses it', async (t) => {
  await registry.ask('PUT /c/late', read(READ));
  const hasty = new TestedRegistry(t, server, { proofBudget: 100 });
  const gate = new Gate(server, 'late');
  const locked = server.sql(`BEGIN; LOCK TABLE item; ${gate.sql}; COMMIT`);
  await gate.reached(1);
  const told = await hasty.ask('PUT /c/late?validate=only', read('SELECT id FROM item'));
  t.strictSame(unknownIn(told), [
    'read: what changes for callers: the time for the proofs was over',
  ]);
  t.match(
    await hasty.error('PUT /c/late?validate=compatible', read('SELECT id FROM item')),
    /^409 breaking_change: whether the change breaks callers is not known/,
  );
  await gate.open();
  await locked;
});

t.test('a change meanwhile: what was compared is not what would be replaced', async (t) => {
  await registry.ask('PUT /c/race', read(READ));
  const { database } = registry.database;
  const describe = database.describe.bind(database);
  database.describe = async (...args) => {
    database.describe = describe;
    await server.sql(`UPDATE service_queries SET description = 'other' WHERE name = 'race'`);
    return describe(...args);
  };
  const text = `${READ} -- race`;
  t.match(
    await registry.error('PUT /c/race?validate=compatible', read(text)),
    /^412 precondition_failed/,
  );
  t.equal((await registry.ask('PUT /c/race?validate=compatible', read(text))).status, 200);
});

t.test('a script for another database is named with its alias', async (t) => {
  const { database } = new TestDatabase(t, server, { connections: 2 });
  const two = new TestedRegistry(t, server, { databases: { other: database } });
  await two.ask('PUT /other/c/own', read(`-- @path /own\n${READ}`));
  const told = await two.ask('PUT /other/c/own?validate=only', read(READ));
  t.strictSame(changesIn(told), ['! read: the path /own is gone']);
});

t.test('where statements cannot be analysed, nullability is not compared', async (t) => {
  await server.sql(`CREATE ROLE plain LOGIN PASSWORD 'plain' SUPERUSER;
    ALTER ROLE plain NOSUPERUSER; GRANT ALL ON ALL TABLES IN SCHEMA public TO plain; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO plain;
    REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC`);
  const conninfo = `host=${server.host} port=${server.port} user=plain password=plain dbname=${server.database}`;
  const plain = new TestedRegistry(t, server, { settings: { conninfo } });
  await plain.ask('PUT /c/plain', read('SELECT id, name FROM item'));
  const told = await plain.ask(
    'PUT /c/plain?validate=compatible',
    read('SELECT id, note AS name FROM item'),
  );
  t.equal(told.status, 200);
  t.strictSame(changesIn(told), []);
  t.match(unknownIn(told), [/^read: which columns can be null: /]);
});
