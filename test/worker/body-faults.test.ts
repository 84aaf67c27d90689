/** Failures of scripts that use bodies: the response names the parameter, and nothing of a body reaches the log. */
import t from 'tap';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner } from '../support/query-runner.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, name text);
    CREATE FUNCTION pick(field text) RETURNS int LANGUAGE plpgsql AS
      $$ BEGIN EXECUTE 'SELECT item.' || field || ' FROM item'; RETURN 1; END $$`,
});

const runner = new TestRunner(t, {
  database: databaseSettings('test', postgres),
  scripts: {
    's/column.write.sql': 'SELECT item.{{index . "body.column"}} FROM item',
    's/two.write.sql': 'SELECT {{index . "body.a"}} FROM item ORDER BY {{.sort}}',
    's/cast.write.sql': 'SELECT {{sqlVal "body.n"}}::int AS n',
    's/json.write.sql': 'SELECT {{sqlVal "request.body"}}::jsonb -> 0 AS first',
    's/list.write.sql': 'SELECT {{index (index . "body.tags") 1}}',
    's/bytes.write.sql': `SELECT pick(convert_from({{sqlVal "request.body"}}::bytea, 'UTF8'))`,
    's/nested.write.sql':
      'SELECT pick({{sqlVal "request.body"}}::jsonb #>> ARRAY[{{sqlVal "body.a"}}, $$b$$])',
    's/ident.write.sql': 'SELECT {{ident "body.name"}} FROM item',
  },
});

const post = (script: string, body: string, query = ''): Promise<string> =>
  runner.ask(`s/${script}?${query}`, { method: 'POST', body });

const SECRET = /hush/i;

t.test('the parameter is named', async (t) => {
  t.match(await post('column', '{"column":"hush_a"}'), /^400 .*parameter body\.column: .*"invalid_value"/); // prettier-ignore
  t.match(await post('two', '{"a":"hush_b"}', 'sort=nope'), /^400 .*parameters body\.a, sort: /);
  t.match(await post('two', '{"a":null}', 'sort=id'), /^400 .*; missing: body\.a"/);
  t.match(await post('ident', '{"name":"hush_d"}'), /^400 .*parameter body\.name: /);
  t.match(await post('column', '{"column":"a; hush"}'), /^400 .*parameter body\.column: it contains SQL syntax/); // prettier-ignore
});

t.test('other failures', async (t) => {
  t.match(await post('cast', '{"n":"hush_e"}'), /^400 .*"22P02"/);
  t.match(await post('cast', '{"n":{"hush_f":1}}'), /^400 .*"22P02"/);
  t.match(await post('cast', '{"n":"hush'), /^400 .*line 1, column 6.*"invalid_body"/);
  t.match(await post('cast', '{"hush":1,"hush":2}'), /^400 .*line 1, column 11.*"invalid_body"/);
  t.match(await post('json', '[{"a":1}]'), /^200 /);
  const type = 'application/octet-stream';
  t.match(await runner.ask('s/bytes', { method: 'POST', body: 'hush_h', type }), /^500 .*42703/);
  t.match(await post('nested', '{"a":"c","c":{"b":"\\u0068ush_i"}}'), /^500 .*42703/);
  const long = `{"column":"hush_g","more":"${'hush_g '.repeat(60_000)}"}`;
  t.match(await post('column', long), /^400 /);
});

t.test('the log has nothing of them', (t) => {
  t.ok(runner.logged.length > 4);
  for (const line of runner.logged) t.notMatch(JSON.stringify(line), SECRET);
  t.end();
});
