/** `@strict` and bodies: members that the script does not use are refused, however the body is sent. */
import t from 'tap';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner } from '../support/query-runner.js';

const postgres = await startPostgres(t);
const database = databaseSettings('test', postgres);

const strict = (text: string): string => `-- @strict\n${text}`;
const SCRIPTS = {
  's/flat.write.sql': strict('SELECT {{sqlVal "body.name"}}::text, {{sqlVal "q"}}::text'),
  's/nested.write.sql': strict('SELECT {{sqlVal "body.address.city"}}::text'),
  's/member.write.sql': strict('SELECT {{sqlVal "body.address"}}::jsonb'),
  's/both.write.sql': strict(
    'SELECT {{sqlVal "body.address"}}::jsonb, {{sqlVal "body.address.city"}}::text',
  ),
  's/range.write.sql': strict(
    'SELECT {{range $i, $one := index . "body.tags"}}{{if $i}}, {{end}}\'{{$one}}\'{{end}}',
  ),
  's/set.write.sql': strict('SELECT 1{{if isSet "body.more"}}, 2{{end}}'),
  's/whole.write.sql': strict('SELECT {{sqlVal "request.body"}}::jsonb'),
  's/mixed.write.sql': strict(
    'SELECT {{sqlVal "request.body"}}::jsonb, {{sqlVal "body.name"}}::text',
  ),
  's/declared.write.sql': strict(
    '-- @param body.a.b text\nSELECT {{sqlVal (print "body." .f)}}::text',
  ),
  's/file.write.sql': strict('SELECT {{sqlVal "body.doc"}}::bytea'),
  's/none.write.sql': strict('SELECT 1'),
  's/loose.write.sql': 'SELECT {{sqlVal "body.name"}}::text',
  's/plain.write.sql': 'SELECT 1',
};

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';
const part = (head: string, text: string): string =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;

/** The names that are refused, separated by spaces; `ok` for none. */
const CASES: readonly (readonly [target: string, body: string, refused: string, type?: string])[] =
  [
    ['flat', '{"name":"a"}', 'ok'],
    ['flat', '{}', 'ok'],
    ['flat', '{"name":{"any":1}}', 'ok'],
    ['flat', '{"nam":"a","x":1}', 'body.nam<body.name body.x'],
    ['flat?z=1', '{"x":1}', 'z body.x'],
    ['flat?body.name=1', '{}', 'body.name'],
    ['flat', '{"__proto__":1}', 'body.__proto__'],
    ['flat', '{"x":{}}', 'body.x'],
    ['flat', '{"x":[{"y":1}]}', 'body.x'],
    ['flat', 'name=a&x=1&x=2', 'body.x', FORM],
    ['flat', 'name=a', 'ok', FORM],
    ['flat', `${part('name="name"', 'a')}${part('name="x"', 'b')}--b--\r\n`, 'body.x', MULTIPART],
    ['nested', '{"address":{"city":"a"}}', 'ok'],
    ['nested', '{"address.city":"a"}', 'ok'],
    ['nested', '{"address":null}', 'ok'],
    ['nested', '{"address":{"zip":1,"city":"a"}}', 'body.address.zip<body.address.city'],
    [
      'nested',
      '{"address":{"list":[{"x":1}],"city":"a"},"y":[]}',
      'body.address.list<body.address.city body.y',
    ],
    ['nested', 'address.city=a&address.zip=b', 'body.address.zip<body.address.city', FORM],
    ['member', '{"address":{"zip":{"any":[1]}}}', 'ok'],
    ['both', '{"address":{"zip":1,"city":"a"}}', 'ok'],
    ['range', '{"tags":["a","b"]}', 'ok'],
    ['range', '{"tags":["a"],"tag":1}', 'body.tag<body.tags'],
    ['set', '{"more":{"x":1}}', 'ok'],
    ['whole', '{"any":{"thing":1}}', 'ok'],
    ['mixed', '{"any":{"thing":1}}', 'ok'],
    ['declared?f=q', '{"a":{"b":"x"}}', 'ok'],
    ['declared?f=q', '{"a":{"c":"x"},"other":1}', 'body.a.c<body.a.b body.other'],
    ['file', `${part('name="doc"; filename="a.txt"', 'x')}--b--\r\n`, 'ok', MULTIPART],
    [
      'file',
      `${part('name="cod"; filename="a.txt"', 'x')}--b--\r\n`,
      'body.cod<body.doc',
      MULTIPART,
    ],
    ['none', '{"x":1}', 'body.x'],
    ['none', '{}', 'ok'],
    ['none', '', 'ok'],
    ['none', 'x=1', 'body.x', FORM],
    ['loose', '{"name":"a","x":1}', 'ok'],
    ['plain', '{"x":1}', 'ok'],
  ];

interface Refusal {
  readonly code: string;
  readonly error: string;
  readonly parameter: string;
  readonly parameters: readonly { readonly parameter: string; readonly nearest?: string }[];
}

t.test('JSON, forms, files', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  for (const [target, body, expected, type] of CASES) {
    const how = { method: 'POST', body, ...(type === undefined ? {} : { type }) };
    const answer = await runner.ask(`s/${target}`, how);
    const { code, parameter, parameters } = JSON.parse(answer.slice(4)) as Partial<Refusal>;
    const about = `${target} ${body}`;
    if (!answer.startsWith('400')) t.equal(`${answer.slice(0, 3)} ok`, `200 ${expected}`, about);
    else {
      const names = parameters?.map(
        (one) => one.parameter + (one.nearest ? `<${one.nearest}` : ''),
      );
      t.equal(`${code} ${names?.join(' ')}`, `unknown_parameter ${expected}`, about);
      t.equal(parameter, parameters?.[0]?.parameter);
    }
  }
});

t.test('many', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, i])),
  );
  const answer = await runner.ask('s/flat', { method: 'POST', body });
  t.match(answer, /^400 .*body\.m0, .*body\.m19 and 4980 more/);
  t.ok(answer.length < 3_000);
});
