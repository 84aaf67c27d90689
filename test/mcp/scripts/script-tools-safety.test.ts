/** Scripts as tools write nothing, whatever their text and arguments are. */
import t from 'tap';
import { startPostgres, versionOf } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { TestedScripts } from '../tested-scripts.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE items (id int, name text);
    INSERT INTO items VALUES (1, 'a'), (2, 'b');
    CREATE SEQUENCE numbers;
    CREATE FUNCTION write_it() RETURNS int LANGUAGE sql AS $$ INSERT INTO items VALUES (9, 'written') RETURNING id $$;
    CREATE FUNCTION read_write() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      PERFORM set_config('transaction_read_only', 'off', false); INSERT INTO items VALUES (9, 'x'); RETURN 1; END $$;
    CREATE VIEW writes AS SELECT write_it() AS id;`,
});

const version = await versionOf(postgres);

const NO_WRITES = 'error: tools can only read, and this script tried to write.';

const TEXTS = {
  'w/function': 'SELECT write_it()',
  'w/view': 'SELECT * FROM writes',
  'w/switch': 'SELECT read_write()',
  'w/sequence': "SELECT nextval('numbers')",
  'w/large-object': 'SELECT lo_create(0)',
  'w/insert': "INSERT INTO items VALUES (9, 'x') RETURNING id",
  'w/with': "WITH x AS (INSERT INTO items VALUES (9, 'x') RETURNING id) SELECT * FROM x",
  'w/drop': 'DROP TABLE items',
  'w/two': 'SELECT 1; DROP TABLE items',
  'w/out': 'SELECT 1) s; DROP TABLE items; SELECT (1',
  'w/commit': 'COMMIT',
  'w/set': 'SET default_transaction_read_only = off',
  'w/config': "SELECT set_config('default_transaction_read_only', 'off', false)",
  'w/lock': 'SELECT pg_advisory_lock(1)',
  'w/call': 'DO $$ BEGIN DELETE FROM items; END $$',
  'w/copy': "COPY items TO PROGRAM 'true'",
  'w/temp': 'SELECT 1 AS x INTO TEMP y',
  'w/share': 'SELECT * FROM items FOR UPDATE',
  'r/bound': 'SELECT id FROM items WHERE name = {{sqlVal "p"}}',
  'r/list': 'SELECT id FROM items WHERE name IN {{sqlList "p"}}',
  'r/array': 'SELECT id FROM items WHERE name = ANY ({{sqlVal "p"}})',
  'r/text': "SELECT id FROM items WHERE name = '{{.p}}'",
  'r/bare': 'SELECT id FROM items WHERE id = {{.p}}',
  'r/format': 'SELECT id FROM items WHERE name IN {{inFormat "p"}}',
  'r/range':
    "SELECT id FROM items WHERE name IN ({{range $i, $v := .p}}{{if $i}}, {{end}}'{{$v}}'{{end}})",
  'r/ident': 'SELECT {{ident "p"}} FROM items',
  'r/page': 'SELECT id FROM items {{limitOffset .p "10"}}',
  'r/split':
    'SELECT id FROM items WHERE name IN ({{range $i, $v := split .p " "}}{{if $i}}, {{end}}\'{{$v}}\'{{end}})',
  'r/decoded': "SELECT id FROM items WHERE name = '{{unEscape .p}}'",
  'r/default': 'SELECT id FROM items WHERE id = {{defaultOrValue "p" "1"}}',
  'r/flag': 'SELECT id FROM items WHERE true {{if isSet "p"}}AND false{{end}}',
  'r/header': 'SELECT {{sqlVal "header.X-A"}} AS a, \'{{index .header "X-A"}}\' AS b',
};

/** The rows of the table, and the state of the tools' only connection. */
async function isAsBefore(scripts: TestedScripts): Promise<string> {
  // The ROLLBACK that follows a failure may still be on its way.
  const open = "SELECT FROM pg_stat_activity WHERE state LIKE 'idle in%'";
  await until(async () => (await postgres.sql(open)).length === 0);
  const [row] = await postgres.sql<{ items: string }>(
    "SELECT string_agg(id || name, ' ' ORDER BY id) || ' ' || (SELECT is_called::text FROM numbers) || ' ' || (SELECT count(*) FROM pg_largeobject_metadata) || ' ' || (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') || ' ' || (SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%') AS items FROM items",
  );
  scripts.write(
    'check/state',
    "SELECT current_setting('transaction_read_only') || current_setting('default_transaction_read_only') AS s",
  );
  return `${row!.items} ${await scripts.run('check/state')}`;
}

const UNTOUCHED = '1a 2b false 0 0 0 {"rows":[{"s":"onon"}],"count":1}';

t.test('scripts that write', async (t) => {
  const texts = { ...TEXTS, 'check/state': 'SELECT 1' };
  const scripts = new TestedScripts(t, postgres, { texts });
  await until(async () => (await isAsBefore(scripts)) === UNTOUCHED);
  for (const script of Object.keys(TEXTS).filter((name) => name.startsWith('w/'))) {
    const answer = await scripts.run(script);
    if (/function|view|switch|sequence|large-object|share/.test(script)) {
      // PostgreSQL does not let a read-only transaction become a writing one.
      if (script === 'w/switch') t.match(answer, /^error: /, script);
      // Before PostgreSQL 16 it makes large objects, which are gone with it.
      else if (script === 'w/large-object' && version < 16) t.match(answer, /^{"rows":/, script);
      else t.equal(answer, NO_WRITES, script);
    } else
      t.match(
        answer,
        /^error: (the script cannot be run as a tool|statement is not allowed)/,
        script,
      );
    t.equal(await isAsBefore(scripts), UNTOUCHED, `${script} leaves nothing`);
  }
});

const ATTACKS = [
  "a'; DROP TABLE items; --",
  "' OR '1'='1",
  '1; DROP TABLE items',
  '1) s; DELETE FROM items; SELECT (1',
  '1 OR true',
  '1 UNION SELECT 1',
  'write_it()',
  '(SELECT write_it())',
  "a\\' OR true; --",
  'a" FROM items; DROP TABLE items; --',
  '$1',
  '{{sqlVal "x"}}',
  '--',
  '/*',
  '*/ DROP TABLE items /*',
  '%27%3B DROP TABLE items --',
  'COMMIT',
  'a\u2028b\nc',
  'ａ＇ OR 1=1',
  '<no value>',
  '{"a\',\'b"}',
];

t.test('arguments', async (t) => {
  const texts = { ...TEXTS, 'check/state': 'SELECT 1' };
  const scripts = new TestedScripts(t, postgres, { texts });
  await until(async () => (await isAsBefore(scripts)) === UNTOUCHED);
  for (const script of Object.keys(TEXTS).filter((name) => name.startsWith('r/'))) {
    if (script === 'r/header') continue;
    for (const attack of ATTACKS) {
      const both = [
        await scripts.run(script, { p: attack }),
        await scripts.run(script, { p: [attack, 'a'] }),
      ];
      for (const answer of both)
        t.match(
          answer,
          /^(?:error: |\{"rows":\[(?:\{"id":1\})?\],)/,
          `${script} ${attack.replace(/[^ -~]/g, '?')}`,
        );
    }
    t.equal(await isAsBefore(scripts), UNTOUCHED, `${script} leaves nothing`);
  }
  for (const attack of ATTACKS.filter((text) => !/[\n]/.test(text))) {
    const answer = await scripts.run('r/header', {}, { headers: `x-a\n${attack}` });
    t.match(answer, /^\{"rows":\[\{"a":/, `header ${attack.replace(/[^ -~]/g, '?')}`);
    t.equal((JSON.parse(answer) as { rows: [{ a: string }] }).rows[0].a, attack);
  }
  t.equal(await isAsBefore(scripts), UNTOUCHED, 'nothing is left');
});
