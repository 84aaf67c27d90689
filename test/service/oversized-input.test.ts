/** More than the service takes: answered, never half done; and the service serves on. */
import t, { type Test } from 'tap';
import { startPostgres } from '../support/postgres.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'big/count.read.sql': 'SELECT cardinality({{sqlVal "a"}}::text[]) AS n',
    'big/length.read.sql': 'SELECT length({{sqlVal "a"}}::text) AS n',
    'big/many.read.sql': 'SELECT {{range .a}}{{sqlVal "b"}}::int +{{end}} 0 AS n',
    'big/headers.read.sql': `SELECT '{{index .header "X-H1"}}' AS v`,
    'big/body.write.sql': 'SELECT 1 AS n',
    'big/endless.read.sql': 'SELECT {{define "a"}}{{template "a"}}{{end}}{{template "a"}}',
    'big/output.read.sql': `SELECT '{{range .a}}{{range $.a}}{{range $.a}}xxxxxxxxxxxxxxxxxxxxx{{end}}{{end}}{{end}}'`,
  },
});

/** Declares a test that ends with an ordinary request. */
function test(name: string, run: (t: Test) => Promise<void>): void {
  t.test(name, async (t) => {
    await run(t);
    t.same(await service.rows('big/length?a=abc'), [{ n: 3 }], 'it serves on');
  });
}

test('a query string of 1 MiB', async (t) => {
  const { status, text } = await sendRaw(
    service.port,
    requestBytes('GET', `/_QUERIES/big/length?a=${'x'.repeat(1 << 20)}`),
  );
  // uWebSockets.js closes the connection on a head beyond its own limit, before our code sees it.
  t.ok([414, 431, 505].includes(status) || text === '', `status ${status}`);
});

test('a target just within, and just beyond 64 KiB', async (t) => {
  const room = 65_536 - '/_QUERIES/big/length'.length - 'a='.length;
  const within = await sendRaw(
    service.port,
    requestBytes('GET', `/_QUERIES/big/length?a=${'x'.repeat(room - 100)}`),
    { wait: 60_000 },
  );
  t.match(within.body, `[{"n":${room - 100}}]`);
  const beyond = await sendRaw(
    service.port,
    requestBytes('GET', `/_QUERIES/big/length?a=${'x'.repeat(room + 1)}`),
  );
  // A head that comes in several reads meets uWebSockets.js's limit before ours.
  if (beyond.status === 414) t.match(beyond.body, '"code":"uri_too_long"');
  else t.ok([431, 505].includes(beyond.status), `status ${beyond.status}`);
});

test('10,000 parameters', async (t) => {
  const many = (n: number): string => `big/count?${'a=&'.repeat(n)}`;
  t.same(await service.rows(many(1_000)), [{ n: 1_000 }]);
  const { status, text } = await service.ask(many(1_001));
  t.equal(status, 400);
  t.match(text, '"code":"invalid_query_string"');
  t.equal(await service.error(many(10_000)), '400 invalid_query_string');
  t.same(await service.rows(`big/many?b=2&${'a=&'.repeat(999)}`), [{ n: 1_998 }]);
});

test('many headers', async (t) => {
  const lines = Array.from({ length: 90 }, (_, i) => `X-H${i}: v${i}`);
  const some = await sendRaw(service.port, requestBytes('GET', '/_QUERIES/big/headers', lines), {
    wait: 60_000,
  });
  t.match(some.body, '[{"v":"v1"}]');
  const flood = Array.from({ length: 5_000 }, (_, i) => `X-H${i}: v${i}`);
  const { status } = await sendRaw(
    service.port,
    requestBytes('GET', '/_QUERIES/big/headers', flood),
    { wait: 500 },
  );
  t.ok(status === 0 || status === 431, `status ${status}`);
});

test('a body over http.max_body', async (t) => {
  const ask = (size: number): Promise<string> =>
    service.error('big/body', { method: 'POST', body: 'x'.repeat(size) });
  t.equal(await ask(1 << 20), '200');
  t.equal(await ask((1 << 20) + 1), '413 body_too_large');
});

test('templates without an end', async (t) => {
  t.equal(await service.error('big/endless'), '400 script_not_usable');
  t.equal(await service.error(`big/output?${'a=&'.repeat(1_000)}`), '400 script_not_usable');
});
