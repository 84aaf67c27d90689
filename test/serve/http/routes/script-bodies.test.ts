/** Bodies of requests to scripts over HTTP: kept and read where a script uses them, limited, decoded, refused, discarded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { requestBytes, sendRaw, type RawAnswer } from '../../../support/raw-http.js';
import { serveDatabase } from '../served-database.js';

const MAX_BODY = 200_000;

const { port, url } = await serveDatabase(
  t,
  {
    'echo.write.sql': `SELECT {{sqlVal "body.name"}}::text AS name, {{sqlVal "body.address.city"}}::text AS city,
      {{sqlVal "body.n"}}::text AS n, {{if isSet "body.n"}}true{{else}}false{{end}} AS has_n`,
    'echo.update.sql': `SELECT {{sqlVal "body.name"}}::text AS name`,
    'echo.delete.sql': `SELECT {{sqlVal "body.name"}}::text AS name`,
    'echo.read.sql': `SELECT {{sqlVal "body.name"}}::text AS name`,
    'lists.write.sql': `SELECT {{sqlVal "body.tags"}}::text[] AS tags, 'b' IN {{sqlList "body.tags"}} AS has,
      'b' IN {{inFormat "body.tags"}} AS formatted,
      ARRAY[{{range $i, $tag := index . "body.tags"}}{{if $i}},{{end}}'{{$tag}}'{{end}}]::text[] AS ranged`,
    'null.write.sql': `SELECT 1 IN {{sqlList "body.n"}} AS list, 'a' IN {{inFormat "body.n"}} AS format,
      {{sqlVal "body.n"}}::text[] AS value`,
    'bulk.write.sql': `SELECT sum(qty)::int AS sum, count(*)::int AS rows
      FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS r(name text, qty int)`,
    'whole.write.sql': `SELECT {{sqlVal "request.body"}}::text AS body`,
    'bytes.write.sql': `SELECT length({{sqlVal "request.body"}}::bytea) AS bytes, md5({{sqlVal "request.body"}}::bytea)`,
    'text.write.sql': `SELECT '{{index . "body.name"}}' AS name, {{index . "body.n"}} AS n`,
    'field.write.sql': `SELECT {{sqlVal (print "body." .field)}}::text AS value`,
    'declared.write.sql': `-- @param body.n integer required min=1
-- @param body.tags text[]
-- @param body.note text = none
SELECT {{sqlVal "body.n"}}::int AS n, {{sqlVal "body.tags"}}::text[] AS tags, {{sqlVal "body.note"}}::text AS note`,
    'plain.write.sql': `SELECT {{sqlVal "name"}}::text AS name, '{{.body}}' AS body`,
  },
  { maxBody: MAX_BODY, worker: { debug: true } },
);

interface Answer {
  readonly status: number;
  readonly rows?: unknown;
  readonly code?: string;
  readonly error?: string;
  readonly headers: Headers;
}

async function send(
  name: string,
  body: string | Uint8Array | FormData | undefined,
  type?: string,
  {
    method = 'POST',
    query = '',
    headers = {},
  }: { method?: string; query?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(url(name, query), {
    method,
    body: body ?? null,
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers },
  });
  const text = await response.text();
  const found = JSON.parse(text) as { rows?: unknown; code?: string; error?: string };
  return { status: response.status, headers: response.headers, ...found };
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

t.test('members', async (t) => {
  const document = '{"name":"O\'Hara","address":{"city":"Łódź"},"n":12345678901234567890}';
  const row = { name: "O'Hara", city: 'Łódź', n: '12345678901234567890', has_n: true };
  t.same((await send('echo', document, JSON_TYPE)).rows, [row]);
  t.same(
    (await send('echo', 'name=O%27Hara&address.city=%C5%81%C3%B3d%C5%BA&n=12345678901234567890', FORM)).rows,
    [row],
  ); // prettier-ignore
  const form = new FormData();
  form.set('name', "O'Hara");
  form.set('address.city', 'Łódź');
  form.set('n', '12345678901234567890');
  t.same((await send('echo', form)).rows, [row]);
  t.same((await send('echo', '{"n":null}', JSON_TYPE)).rows, [
    { name: null, city: null, n: null, has_n: true },
  ]);
  t.same((await send('echo', '{}', JSON_TYPE)).rows, [
    { name: null, city: null, n: null, has_n: false },
  ]);
  t.same((await send('echo', undefined)).rows, [{ name: null, city: null, n: null, has_n: false }]);
  for (const method of ['PUT', 'PATCH', 'DELETE'])
    t.same(
      (await send('echo', '{"name":"m"}', JSON_TYPE, { method })).rows,
      [{ name: 'm' }],
      method,
    );
  t.same((await send('field', '{"__proto__":"p","constructor":1}', JSON_TYPE, { query: 'field=__proto__' })).rows, [{ value: 'p' }]); // prettier-ignore
  t.same((await send('field', '{"a":{"b":{"c":true}}}', JSON_TYPE, { query: 'field=a.b.c' })).rows, [{ value: 'true' }]); // prettier-ignore
  t.same((await send('field', '{"a":{"b":[1,{}]}}', JSON_TYPE, { query: 'field=a.b' })).rows, [{ value: '[1,{}]' }]); // prettier-ignore
});

t.test('the query string never has members of a body', async (t) => {
  const query = 'body.name=q&request.body=q&name=n';
  t.same((await send('echo', '{}', JSON_TYPE, { query })).rows, [
    { name: null, city: null, n: null, has_n: false },
  ]);
  t.same((await send('whole', undefined, undefined, { query })).rows, [{ body: null }]);
  t.same((await send('plain', undefined, undefined, { query: 'name=n&body=b' })).rows, [
    { name: 'n', body: 'b' },
  ]);
});

t.test('lists', async (t) => {
  t.same((await send('lists', '{"tags":["a","b",1.50]}', JSON_TYPE)).rows, [
    { tags: ['a', 'b', '1.50'], has: true, formatted: true, ranged: ['a', 'b', '1.50'] },
  ]);
  t.same((await send('lists', '{"tags":["b"]}', JSON_TYPE)).rows, [
    { tags: ['b'], has: true, formatted: true, ranged: ['b'] },
  ]);
  t.same((await send('lists', '{"tags":[]}', JSON_TYPE)).rows, [
    { tags: [], has: null, formatted: null, ranged: [] },
  ]);
  t.same((await send('null', '{"n":[null,"2"]}', JSON_TYPE)).rows, [
    { list: null, format: null, value: [null, '2'] },
  ]);
});

t.test('the whole body', async (t) => {
  const rows = JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ name: `n${i}`, qty: i })));
  t.same((await send('bulk', rows, JSON_TYPE)).rows, [{ sum: 499_500, rows: 1000 }]);
  t.same((await send('whole', 'Łódź\n', 'text/plain')).rows, [{ body: 'Łódź\n' }]);
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 256));
  const [row] = (await send('bytes', bytes, 'image/png')).rows as { bytes: number }[];
  t.equal(row?.bytes, 100_000);
});

t.test('declared parameters', async (t) => {
  t.same((await send('declared', '{"n":2,"tags":["a"]}', JSON_TYPE)).rows, [
    { n: 2, tags: ['a'], note: 'none' },
  ]);
  t.same((await send('declared', '{"n":2,"note":null}', JSON_TYPE)).rows, [
    { n: 2, tags: null, note: null },
  ]);
  t.same((await send('declared', 'n=2&tags=a', FORM)).rows, [{ n: 2, tags: ['a'], note: 'none' }]);
  for (const body of ['{}', '{"n":0}', '{"n":"x"}', '{"n":null}', '{"n":[1]}'])
    t.match(await send('declared', body, JSON_TYPE), {
      status: 400,
      code: 'invalid_parameter',
      error: /body\.n/,
    });
});

t.test('interpolated values are screened', async (t) => {
  t.same((await send('text', '{"name":"Ann","n":12}', JSON_TYPE)).rows, [{ name: 'Ann', n: 12 }]);
  const refused = await send('text', `{"name":"x' OR '1'='1","n":1}`, JSON_TYPE);
  t.match(refused, { status: 400, code: 'invalid_value', error: /parameter body\.name/ });
  const broken = await send('text', '{"name":"x","n":"a b c"}', JSON_TYPE);
  t.match(broken, { status: 400, code: 'invalid_value', error: /parameter body\.n:/ });
  const empty = await send('text', '{"name":"x","n":[]}', JSON_TYPE);
  t.match(empty, { status: 400, code: 'invalid_value', error: /parameter body\.n:/ });
  const missing = await send('text', '{"name":"x"}', JSON_TYPE);
  t.match(missing, { status: 400, code: 'invalid_value', error: /body\.n: it is missing/ });
});

t.test('refused', async (t) => {
  const cases: [body: string, type: string, status: number, code: string, error: RegExp][] = [
    ['{"name":', JSON_TYPE, 400, 'invalid_body', /line 1, column 9/],
    ['{"name":1,"name":2}', JSON_TYPE, 400, 'invalid_body', /line 1, column 11/],
    ['[]', JSON_TYPE, 400, 'invalid_body', /object/],
    ['name=a', 'text/plain', 415, 'unsupported_media_type', /application\/json/],
    [' '.repeat(MAX_BODY + 1), JSON_TYPE, 413, 'body_too_large', /too large/],
  ];
  for (const [body, type, status, code, error] of cases)
    t.match(await send('echo', body, type), { status, code, error }, code);
  const [post, patch, put] = await Promise.all(
    ['POST', 'PATCH', 'PUT'].map((method) => send('echo', 'x', 'text/plain', { method })),
  );
  t.match(post?.headers.get('accept-post'), /^application\/json, /);
  t.match(patch?.headers.get('accept-patch'), /^application\/json, /);
  t.match(put?.headers.get('accept'), /^application\/json, /);
});

t.test('discarded where no script uses it', async (t) => {
  const answer = await send('plain', '{"name":', JSON_TYPE, { query: 'name=n&body=' });
  t.same(answer.rows, [{ name: 'n', body: '' }]);
  t.match(answer.headers.get('warning'), /discarded/);
  const large = await send('plain', 'x'.repeat(MAX_BODY + 1), JSON_TYPE, { query: 'name=n' });
  t.match(large, { status: 413, code: 'body_too_large' });
  const none = await send('plain', undefined, undefined, { query: 'name=n&body=' });
  t.equal(none.headers.get('warning'), null);
  t.match(await send('nothing', '{}', JSON_TYPE), { status: 404, code: 'script_not_found' });
});

t.test('encoded bodies', async (t) => {
  const document = '{"name":"packed"}';
  const row = [{ name: 'packed', city: null, n: null, has_n: false }];
  const packed: [coding: string, body: Buffer][] = [
    ['gzip', gzipSync(document)],
    ['GZip', gzipSync(document)],
    ['br', brotliCompressSync(document)],
    ['deflate', deflateSync(document)],
    ['identity', Buffer.from(document)],
  ];
  const encoded = (body: Uint8Array, coding: string): Promise<Answer> =>
    send('echo', body, JSON_TYPE, { headers: { 'content-encoding': coding } });
  for (const [coding, body] of packed) t.same((await encoded(body, coding)).rows, row, coding);
  t.match(await encoded(gzipSync(document).subarray(0, 20), 'gzip'), { status: 400, code: 'invalid_body' }); // prettier-ignore
  t.match(await encoded(Buffer.from(document), 'br'), { status: 400, code: 'invalid_body' });
  const unknown = await encoded(Buffer.from(document), 'zstd');
  t.match(unknown, { status: 415, code: 'unsupported_media_type' });
  t.equal(unknown.headers.get('accept-encoding'), 'gzip, deflate, br');
  t.match(await encoded(gzipSync(document), 'gzip, gzip'), { status: 415 });
  const bomb = gzipSync(Buffer.alloc(100 * MAX_BODY, ' '));
  t.ok(bomb.byteLength < MAX_BODY);
  const bombs = await Promise.all(Array.from({ length: 20 }, () => encoded(bomb, 'gzip')));
  for (const answer of bombs) t.match(answer, { status: 413, code: 'body_too_large' });
  const fits = gzipSync(`{"name":"packed"${' '.repeat(MAX_BODY - 17)}}`);
  t.same((await encoded(fits, 'gzip')).rows, row, 'of the largest size');
});

t.test('the bodies of requests at a time are never mixed up', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 400 }, async (_, i) => {
      const name = `${i}-${'x'.repeat((i * 37) % 2000)}`;
      const { rows } = await send('echo', JSON.stringify({ name, n: i }), JSON_TYPE);
      return (rows as { name: string; n: string }[])[0]?.name === name;
    }),
  );
  t.ok(answers.every(Boolean));
});

const path = '/_QUERIES/t/echo';
const head = (...headers: string[]): string =>
  requestBytes('POST', path, [`Content-Type: ${JSON_TYPE}`, ...headers]);
const rowsOf = ({ body }: RawAnswer): unknown => (JSON.parse(body) as { rows?: unknown }).rows;

t.test('bodies in pieces', async (t) => {
  const wanted = [{ name: 'ab', city: null, n: null, has_n: false }];
  const chunked = [
    head('Transfer-Encoding: chunked'),
    '8\r\n{"name":\r\n',
    '5\r\n"ab"}\r\n0\r\n\r\n',
  ];
  t.same(rowsOf(await sendRaw(port, chunked, { between: 20 })), wanted, 'chunks');
  const pieces = [head('Content-Length: 13'), '{"name', '":"ab"', '}'];
  t.same(rowsOf(await sendRaw(port, pieces, { between: 20 })), wanted, 'pieces');
  const none = [{ name: null, city: null, n: null, has_n: false }];
  for (const headers of [[], ['Content-Encoding: gzip']]) {
    const all = ['Transfer-Encoding: chunked', ...headers];
    const empty = requestBytes('POST', path, all, '0\r\n\r\n');
    t.same(rowsOf(await sendRaw(port, empty)), none, `chunked and empty ${headers.join()}`);
  }
  const short = await sendRaw(port, [head('Content-Length: 12'), '{"name":"ab"}']);
  t.match(short.body, /invalid_body/, 'a Content-Length that is too short');
  const expecting = await sendRaw(port, head('Content-Length: 13', 'Expect: 100-continue') + '{"name":"ab"}'); // prettier-ignore
  t.match(expecting.text, /"name":"ab"/, 'with Expect: 100-continue');
});

t.test('a client that leaves amid its body affects no other', async (t) => {
  for (let i = 0; i < 20; i++)
    void sendRaw(port, [head('Content-Length: 1000'), '{"name":"half'], {
      connected: (socket) => void sleep(20).then(() => socket.destroy()),
    });
  t.same((await send('echo', '{"name":"whole"}', JSON_TYPE)).status, 200);
});
