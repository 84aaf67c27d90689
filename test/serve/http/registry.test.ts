/** The registry over HTTP, from end to end: bodies, headers, and changes as other workers see them. */
import t from 'tap';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { ADMIN, OTHER, serveRegistry } from './served-registry.js';

const { postgres, port } = await serveRegistry(t, {
  context: '/api',
  threads: 2,
  cors: { origins: ['https://app.example'], headers: [], methods: [], credentials: false },
});

const url = `http://127.0.0.1:${port}/api/_QUERIES/registry`;
const Authorization = ADMIN.slice('Authorization: '.length);
const ask = async (
  method: string,
  path: string,
  { body, ...more }: { body?: string; headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: { Authorization, ...more.headers },
    ...(body === undefined ? {} : { body }),
  });

t.test('a record from its making to its end', async (t) => {
  const body = JSON.stringify({ location: 'itést', name: 'rec', read_sql: "SELECT 'é😀'" });
  const made = await ask('POST', '', { body, headers: { 'Content-Type': 'text/plain' } });
  t.equal(made.status, 201);
  t.equal(made.headers.get('content-type'), 'application/json');
  t.equal(made.headers.get('cache-control'), 'no-store');
  const location = '/api/_QUERIES/registry/it%C3%A9st/rec';
  t.equal(made.headers.get('location'), location, 'with the prefix of every route');
  const etag = made.headers.get('etag')!;
  const text = await made.text();
  t.match(JSON.parse(text), { location: 'itést', read_sql: "SELECT 'é😀'", created_by: 'ann' });

  const read = await fetch(`http://127.0.0.1:${port}${location}`, { headers: { Authorization } });
  t.equal(await read.text(), text);
  t.equal(read.headers.get('etag'), etag);
  const head = await ask('HEAD', '/it%C3%A9st/rec');
  t.equal(head.status, 200);
  t.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)));
  t.equal(head.headers.get('etag'), etag);

  const same = await ask('GET', '/itést/rec', { headers: { 'If-None-Match': etag } });
  t.equal(same.status, 304);
  t.equal(same.headers.get('etag'), etag);
  t.equal(same.headers.get('content-length'), null, 'it has no length');
  t.equal(same.headers.get('content-type'), null);

  const put = { body: '{"read_sql":"SELECT 2"}', headers: { 'If-Match': etag } };
  t.equal((await ask('PUT', '/itést/rec', put)).status, 200);
  const late = await ask('PUT', '/itést/rec', put);
  t.equal(late.status, 412);
  t.match(await late.json(), { code: 'precondition_failed' });
  const versions = (await (await ask('GET', '/itést/rec?history')).json()) as { version: number }[];
  t.equal(versions.length, 2);
  const back = await ask('POST', `/itést/rec?rollback=${versions[1]!.version}`);
  t.equal(back.status, 200);
  t.match(await back.json(), { read_sql: "SELECT 'é😀'" });
  const gone = await ask('DELETE', '/itést/rec');
  t.equal(gone.status, 204);
  t.equal(await gone.text(), '');
});

t.test('a condition without a value never holds', async (t) => {
  await ask('PUT', '/empty/rec', { body: '{"read_sql":"SELECT 1"}' });
  const headers = [ADMIN, 'If-Match:'];
  const answer = await sendRaw(
    port,
    requestBytes('DELETE', '/api/_QUERIES/registry/empty/rec', headers),
  );
  t.equal(answer.status, 400);
  t.match(answer.body, /"code":"invalid_request"/);
  t.equal((await ask('GET', '/empty/rec')).status, 200, 'it is still there');
});

t.test('a list of many, larger than a packet', async (t) => {
  const text = 'x'.repeat(5_000);
  await postgres.sql(`INSERT INTO service_queries (location, name, read_sql)
    SELECT 'many', 'n' || i, '${text}' FROM generate_series(1, 200) i`);
  const list = (await (await ask('GET', '?location=many')).json()) as { read_sql: string }[];
  t.equal(list.length, 200);
  t.ok(list.every(({ read_sql }) => read_sql === text));
});

t.test('headers that browsers may read', async (t) => {
  const { headers } = await ask('GET', '/empty/rec', {
    headers: { Origin: 'https://app.example' },
  });
  t.match(headers.get('access-control-expose-headers'), /\bETag, Location\b/);
});

t.test('validation', async (t) => {
  const refused = await ask('PUT', '/valid/rec?validate=true', {
    body: '{"read_sql":"SELECT\\n nope"}',
  });
  t.equal(refused.status, 400);
  t.match(await refused.json(), { code: '42703', line: 2, column: 2, script: 'valid/rec' });
  const fine = await ask('PUT', '/valid/rec?validate=only', { body: '{"read_sql":"SELECT 1"}' });
  t.equal(await fine.text(), '{"valid":true,"proof":{"read":{"verdict":"proved"}}}');
  t.equal((await ask('GET', '/valid/rec')).status, 404);
});

t.test('the proof of a stored script, for those who may read it', async (t) => {
  const body = JSON.stringify({
    read_sql: 'SELECT {{if isSet "é"}}nope{{else}}1{{end}}',
    write_sql: 'SELECT 1 AS one',
  });
  await ask('PUT', '/proof/rec', { body });
  for (const [token, status] of [
    [undefined, 401],
    [OTHER.slice('Authorization: '.length), 403],
  ] as const) {
    const headers = token === undefined ? {} : { Authorization: token };
    const refused = await fetch(`${url}/proof/rec?proof`, { headers });
    t.equal(refused.status, status);
    await refused.text();
  }
  const answer = await ask('GET', '/proof/rec?proof');
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'application/json');
  t.match(await answer.json(), {
    read: { verdict: 'broken', findings: [{ code: '42703', when: '`é` is sent' }] },
    write: { verdict: 'proved', columns: [[{ name: 'one', type: 'integer' }]] },
  });
});

t.test('many at a time, over both workers', async (t) => {
  const told = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const body = JSON.stringify({ read_sql: `SELECT ${i}` });
      const answer = await ask('PUT', `/busy/s${i}`, { body });
      const record = (await answer.json()) as { name: string; read_sql: string };
      return [answer.status, record.name, record.read_sql].join();
    }),
  );
  t.strictSame(
    told,
    Array.from({ length: 60 }, (_, i) => `201,s${i},SELECT ${i}`),
  );
});
