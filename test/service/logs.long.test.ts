/**
 * What the log never holds, whatever goes wrong and at whatever level: values, credentials, SQL, the database's DETAIL.
 * And what it does hold: one JSON object a line, the request's id, the place in the script.
 */
import t from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

/** Part of every value and text that must not be seen again. */
const SECRET = /hush|4711471147114711/i;

const postgres = await startOwnPostgres(t, {
  setup: `
    CREATE ROLE caller LOGIN PASSWORD 'hush-password';
    CREATE TABLE item (id int PRIMARY KEY, name text CHECK (name <> 'hush-checked'), at date);
    INSERT INTO item VALUES (1, 'hush-stored');
    GRANT SELECT, INSERT, UPDATE, DELETE ON item TO caller;
    CREATE TABLE closed ();
    CREATE FUNCTION tell(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
      RAISE NOTICE 'notice %', $1; RAISE WARNING 'warning %', $1; RAISE INFO 'info %', $1; RETURN $1; END $$;
    CREATE FUNCTION fail(state text, message text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = message, HINT = message; END $$`,
});
const { host, port } = postgres;

/** Scripts that go wrong, or speak, with the values they are given. */
const service = await startService(t, {
  database: `postgres://caller:hush-password@${host}:${port}/postgres`,
  config: { 'log.level': 'trace', 'log.access': true, 'pg.statement_timeout': '2s' },
  scripts: {
    's/cast.read.sql': `SELECT {{sqlVal "a"}}::int AS "hush-name"`,
    's/date.read.sql': `SELECT {{sqlVal "a"}}::date, 'hush-constant'`,
    's/json.read.sql': `SELECT {{sqlVal "a"}}::json, {{sqlVal "a"}}::jsonb`,
    's/zone.read.sql': `SELECT now() AT TIME ZONE {{sqlVal "a"}}`,
    's/pattern.read.sql': `SELECT 'x' ~ {{sqlVal "a"}}`,
    's/format.read.sql': `SELECT to_date({{sqlVal "a"}}, 'YYYY-MM-DD'), 'hush'`,
    's/object.read.sql': `SELECT lo_get(4711471147114711::bigint % 4294967296)`,
    's/add.write.sql': `INSERT INTO item VALUES ({{sqlVal "id"}}, {{sqlVal "a"}}) RETURNING id`,
    's/closed.read.sql': `SELECT *, 'hush-constant' FROM closed`,
    's/syntax.read.sql': `SELECT 'hush-constant' FROM FROM`,
    's/shown.read.sql': `SELECT '{{.a}}', '{{index .header "X-Demo"}}'`,
    's/column.read.sql': `SELECT {{.a}} FROM item`,
    's/qualified.read.sql': `SELECT item.{{.a}} FROM item`,
    's/function.read.sql': `SELECT {{.a}}(1)`,
    's/table.delete.sql': `DELETE FROM {{ident "a"}}`,
    's/ident.read.sql': `SELECT {{ident "a"}}`,
    's/template.read.sql': `SELECT {{index .a "hush-key"}}, {{eq .a 1}}`,
    's/page.read.sql': `SELECT 1 {{limitOffset .a "10"}}`,
    's/session.update.sql': `SET application_name = 'hush-constant'`,
    's/two.write.sql': `SELECT 'hush-one'; SELECT 'hush-two'`,
    's/broken.read.sql': `SELECT 'hush-constant' {{nope "hush-argument"}}`,
    's/tell.read.sql': `SELECT tell({{sqlVal "a"}})`,
    's/tell.write.sql': `SELECT tell({{sqlVal "a"}})`,
    's/fail.read.sql': `SELECT fail({{sqlVal "state"}}, {{sqlVal "a"}})`,
    's/slow.read.sql': `SELECT pg_sleep(30), {{sqlVal "a"}}`,
  },
});

const headers = {
  authorization: 'Bearer hush-token',
  cookie: 'session=hush-cookie',
  'x-api-key': 'hush-key',
  'x-demo': "hush'; header",
  referer: 'http://x.example/?hush',
};

const SESSION: readonly string[] = [
  'GET s/cast?a=hush-value',
  'GET s/cast?a=47114711471147114711',
  'GET s/date?a=hush-value',
  'GET s/date?a=2024-13-45hush',
  'GET s/json?a={"x":hush}',
  'GET s/zone?a=hush/zone',
  'GET s/pattern?a=(hush',
  'GET s/format?a=hush-01-01',
  'GET s/object',
  'POST s/add?id=1&a=hush-value',
  'POST s/add?id=2&a=hush-checked',
  'GET s/closed',
  'GET s/syntax',
  "GET s/shown?a=hush'",
  'GET s/shown?a=hush',
  'GET s/shown?a=%ffhush',
  'GET s/column?a=hush_column',
  'GET s/qualified?a=hush_column',
  'GET s/qualified?a=HUSH_column',
  'GET s/function?a=hush_function',
  'DELETE s/table?a=hush_table',
  'GET s/ident?a=hush;table',
  'GET s/template?a=hush',
  'GET s/page?a=hush',
  'PUT s/session?a=hush',
  'POST s/two?a=hush',
  'GET s/broken?a=hush',
  'GET s/tell?a=hush-told',
  'POST s/tell?a=hush-told',
  'GET s/slow?a=hush',
  'GET s/nope?a=hush',
  'GET s/a.b?a=hush',
  'POST s/shown?a=hush',
  'GET /nowhere?a=hush',
  'GET nodb/s/shown?a=hush',
  ...['P0001', 'PT409', '22023', '23505', '42P01', '53200', '40001', 'XX000'].map(
    (state) => `GET s/fail?state=${state}&a=no such hush`,
  ),
];

t.test('a session in which much goes wrong', async (t) => {
  for (const [i, request] of SESSION.entries()) {
    const method = request.slice(0, request.indexOf(' '));
    const target = request.slice(method.length + 1);
    await service.ask(target, {
      method,
      headers: { ...headers, 'x-request-id': `session-${i}` },
      ...(method === 'GET' ? {} : { body: '{"password":"hush-body"}' }),
    });
  }
  await sendRaw(
    service.port,
    requestBytes('GET', '/_QUERIES/s/shown?a=hush', ['Content-Length: 1', 'Content-Length: 2']),
  );
  await postgres.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
    'caller',
  ]);
  await service.ask('s/shown?a=hush', { headers });
  service.signal('SIGHUP');
  await service.line(({ msg }) => msg === 'reloaded');
  await postgres.kill();
  // The backends outlive their postmaster for a moment, and the last one ends amid a request.
  await until(async () =>
    (await service.error('s/cast?a=hush-value', { headers })).startsWith('503 08'),
  );
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);

  const lines = service.output.split('\n').filter((line) => SECRET.test(line));
  t.same(lines, [], 'no line holds a secret');
});

t.test('no SQL, and nothing from libpq itself', (t) => {
  // What mends a missing privilege is told.
  t.notMatch(service.output, /(?<!GRANT )\bSELECT\b|\bINSERT\b|pg_sleep|FROM item/);
  const strange = service.output
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level":'));
  t.same(strange, [], 'each line is an object of ours');
  for (const line of service.output.split('\n')) if (line !== '') JSON.parse(line);
  t.end();
});

t.test('each request has its line, without its query string', (t) => {
  for (const i of SESSION.keys()) {
    const id = `session-${i}`;
    const lines = service.lines.filter((line) => line['requestId'] === id);
    t.ok(lines.length > 0, id);
    t.notMatch(JSON.stringify(lines), /[?]a=/);
  }
  t.end();
});

t.test('failures of the database: SQLSTATE and names', (t) => {
  const of = (request: string): unknown =>
    service.lines.find(
      (line) => line['requestId'] === `session-${SESSION.indexOf(request)}` && 'state' in line,
    );
  t.match(of('POST s/add?id=1&a=hush-value'), {
    script: 's/add',
    state: '23505',
    table: 'item',
    constraint: 'item_pkey',
  });
  t.match(of('POST s/add?id=2&a=hush-checked'), { state: '23514', constraint: 'item_name_check' });
  t.match(of('GET s/cast?a=hush-value'), { state: '22P02', msg: /invalid input syntax for type/ });
  t.end();
});

const PLACED = [
  `SELECT '{{.a}}😀é' AS a, -- 😀😀`,
  `{{if isSet "b"}} '😀{{range split .b "-"}}[{{.}}]{{end}}', {{else}} 1, {{end}} 2,`,
  `  '{{.a}}' || '😀', nope`,
  `FROM item`,
].join('\n');

t.test('the place of an error in a script', async (t) => {
  await postgres.restart();
  const service = await startService(t, {
    database: postgres.url,
    scripts: { 's/place.read.sql': PLACED },
  });
  for (const query of ['a=x', 'a=xyz x&b=1-2-3', 'a=&b=', 'a=x&a=y&b=c']) {
    const { headers } = await service.ask(`s/place?${query}`);
    const requestId = headers.get('x-request-id');
    const line = await service.line((line) => line['requestId'] === requestId);
    t.equal(line['position'], 's/place:3:20', query);
  }
});
