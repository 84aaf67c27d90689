/** Mistakes of callers and of scripts, through HTTP: what is answered, what is logged, and what `check` says. */
import t from 'tap';
import { run } from '../commands/program.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE item (id int, name text)' });

const scripts = {
  'm/page.read.sql': 'SELECT id FROM item {{limitOffset ._page ._page_size}}',
  'm/one.read.sql': 'SELECT id FROM item WHERE id = {{sqlVal "id"}}',
  'm/value.read.sql': 'SELECT 1 AS a\nWHERE true OR 1 = {{sqlVal .id}}',
  'm/sort.read.sql': 'SELECT id FROM item ORDER BY {{sqlVal "by"}}',
  'm/header.read.sql': 'SELECT \'{{index .header "X-Request-ID"}}\' AS id',
  'm/like.read.sql': 'SELECT id FROM item\nWHERE name LIKE \'%{{sqlVal "q"}}%\'',
  'm/add.read.sql': 'INSERT INTO item VALUES (1)',
  'm/open.read.sql': 'SELECT 1\n{{if isSet "a"}}WHERE true',
};
const config = { 'http.processes': 1, 'pool.threads': 1 };
const service = await startService(t, { database: postgres.url, scripts, config });

const WARNINGS: Readonly<Record<string, RegExp>> = {
  'm/value': /sqlVal takes the name of a parameter.*write \{\{sqlVal "id"\}\}$/,
  'm/sort': /ORDER BY \{\{sqlVal "by"\}\} has no effect.*write \{\{ident …\}\}/,
  'm/header': /no request has a header of the name "X-Request-ID".*write "X-Request-Id"$/,
  'm/like': /is in quotes, where it is plain text: write '%' \|\| /,
  'm/add': /INSERT does not run in a read script: use the suffix \.write\.sql$/,
};

t.test('a caller learns which parameter is wrong', async (t) => {
  const cases: readonly [target: string, body: unknown][] = [
    [
      'm/page?_page_size=hush',
      {
        error: 'invalid value for parameter _page_size: expected an integer',
        code: 'invalid_parameter',
        parameter: '_page_size',
        parameters: [{ parameter: '_page_size', expected: 'an integer' }],
      },
    ],
    [
      'm/one?id=hush',
      {
        error: 'could not execute sql, check your service logs',
        code: '22P02',
        parameter: 'id',
        reason: 'a value is not valid for its type',
      },
    ],
  ];
  for (const [target, body] of cases) {
    const { status, json } = await service.ask(target);
    t.equal(status, 400);
    t.strictSame(json, body);
  }
  t.notMatch(service.output, 'hush');
  const { text } = await service.ask('m/page?_page_size=x&_renderer=xml');
  t.match(text, /^<objects><error>invalid value for parameter _page_size/);
});

t.test('the log warns when a script is loaded', async (t) => {
  for (const [script, msg] of Object.entries(WARNINGS)) {
    await service.ask(script);
    const line = await service.line((line) => line['script'] === script && msg.test(line.msg));
    t.match(line, { level: 40, verb: 'read' }, script);
  }
});

t.test('each failed request of a broken script has its line', async (t) => {
  for (const id of ['first', 'second', 'third']) {
    const { status } = await service.ask('m/open', { headers: { 'x-request-id': id } });
    t.equal(status, 400);
    const line = await service.line(({ requestId }) => requestId === id);
    t.match(line, {
      level: 40,
      script: 'm/open',
      position: 'm/open:2:27',
      msg: 'template: m/open:2: unexpected EOF; the {{if}} of line 2 has no {{end}}',
    });
  }
});

t.test('check', async (t) => {
  const { code, stdout } = await run(service.folder, ['check', '--config', 'service.toml']);
  t.equal(code, 1, 'one does not parse');
  t.match(stdout, 'the {{if}} of line 2 has no {{end}}');
  for (const [script, message] of Object.entries(WARNINGS)) {
    const lines = stdout.split('\n').filter((line) => line.includes(`warning: ${script}.read.sql`));
    t.equal(lines.length, 1, script);
    t.match(lines[0], message);
  }
});

t.test('debug', async (t) => {
  const debugging = await startService(t, {
    database: postgres.url,
    scripts,
    config: { ...config, debug: true },
  });
  t.match((await debugging.ask('m/open')).json, {
    code: 'script_not_usable',
    message: 'template: m/open:2: unexpected EOF',
    hint: 'the {{if}} of line 2 has no {{end}}',
    position: 'm/open:2:27',
  });
  t.match((await debugging.ask('m/add')).json, {
    code: '42601',
    hint: 'INSERT does not run in a read script: use the suffix .write.sql',
  });
});
