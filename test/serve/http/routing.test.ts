/** Responses of the HTTP process itself, over a real socket: none of them needs a database. */
import t from 'tap';
import { startHttpProcess } from '../../support/http-process.js';
import { requestBytes, sendRaw } from '../../support/raw-http.js';

const CONTEXT = '/api/v1';
const { port } = await startHttpProcess(t);
const { port: portWithContext } = await startHttpProcess(t, {
  context: CONTEXT,
  expose: { databases: false, schemas: false, tables: false },
});

interface Case {
  readonly method?: string;
  readonly target: string;
  readonly status: number;
  readonly error?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const CASES: readonly Case[] = [
  { target: '/', status: 404, error: '404 page not found', code: 'not_found' },
  { target: '/nope', status: 404, error: '404 page not found', code: 'not_found' },
  { target: '/nope?_renderer=xml', status: 404, body: '<objects><error>404 page not found</error><code>not_found</code></objects>', headers: { 'content-type': 'application/xml' } }, // prettier-ignore
  { target: '/nope?x_renderer=xml', status: 404, code: 'not_found' },
  { target: '/_QUERIES/a/..', status: 400, error: 'invalid path', code: 'invalid_path' },
  { target: '/_QUERIES/a/%2e%2e/b', status: 400, error: 'invalid path', code: 'invalid_path' },
  { target: '/_QUERIES/a/b.read', status: 400, error: 'invalid identifier in path', code: 'invalid_identifier' }, // prettier-ignore
  { target: '/_QUERIES/a/b%2Fc', status: 400, error: 'invalid identifier in path', code: 'invalid_identifier' }, // prettier-ignore
  { method: 'POST', target: '/_QUERIES/a/b.write', status: 400, code: 'invalid_identifier' },
  { target: '/_QUERIES/a/\xff', status: 400, code: 'invalid_identifier' },
  { target: '/_QUERIES/other/a/b', status: 400, error: 'database not registered: other', code: 'unknown_database' }, // prettier-ignore
  { target: '/_QUERIES/other/a/b?_renderer=xml', status: 400, body: '<objects><error>database not registered: other</error><code>unknown_database</code></objects>' }, // prettier-ignore
  { target: '/_QUERIES/%C3%A9/a/b', status: 400, error: 'database not registered: é' },
  { target: '/a/?x=1&y=%20', status: 301, headers: { location: '/a?x=1&y=%20' }, body: '' },
  { method: 'HEAD', target: '/a/', status: 301, headers: { location: '/a' }, body: '' },
  { method: 'POST', target: '/_QUERIES/a/b/?x', status: 308, headers: { location: '/_QUERIES/a/b?x' } }, // prettier-ignore
  { target: '//evil.com/', status: 301, headers: { location: '/evil.com' } },
  { target: '//\\evil.com/?\\\xe9', status: 301, headers: { location: '/%5Cevil.com?%5C%EF%BF%BD' } }, // prettier-ignore
  { method: 'DELETE', target: '/_health', status: 405, code: 'method_not_allowed', headers: { allow: 'GET, HEAD, OPTIONS' } }, // prettier-ignore
  { method: 'POST', target: '/_ready', status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } },
  { method: 'get', target: '/_health', status: 405 },
  { method: 'OPTIONS', target: '/_health', status: 204, headers: { allow: 'GET, HEAD, OPTIONS' }, body: '' }, // prettier-ignore
];

const UNDER_CONTEXT: readonly [target: string, status: number, code?: string][] = [
  ['/api/v1/_health', 503],
  ['/api/v1/_ready', 503],
  ['/api/v1/databases', 401, 'listing_hidden'],
  ['/api/v1/schemas', 401, 'listing_hidden'],
  ['/api/v1/tables', 401, 'listing_hidden'],
  ['/api/v1/auth', 404, 'not_found'],
  ['/api/v1/tables/x', 404, 'not_found'],
  ['/api/v1/Tables', 404, 'not_found'],
  ['/api/v1/%74ables', 404, 'not_found'],
  ['/api/v1/tables/', 301],
  ['/_health', 404, 'not_found'],
  ['/_ready', 404, 'not_found'],
  ['/tables', 404, 'not_found'],
  ['/api/v10/_health', 404, 'not_found'],
  ['/api/v1', 404, 'not_found'],
];

const answers = await Promise.all(
  CASES.map(({ method = 'GET', target }) => sendRaw(port, requestBytes(method, target))),
);

const underContext = await Promise.all(
  UNDER_CONTEXT.map(([target]) => sendRaw(portWithContext, requestBytes('GET', target))),
);

for (const [i, expected] of CASES.entries()) {
  const { method = 'GET', target } = expected;
  t.test(`${method} ${target}`, (t) => {
    const answer = answers[i]!;
    t.equal(answer.status, expected.status);
    t.equal(answer.closed, false, 'the connection stays');
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    t.match(answer.headers.get('x-request-id'), /^[A-Za-z0-9._-]{1,128}$/);
    for (const [name, value] of Object.entries(expected.headers ?? {}))
      t.equal(answer.headers.get(name), value, name);
    if (expected.body !== undefined) t.equal(answer.body, expected.body);
    if (expected.error !== undefined || expected.code !== undefined) {
      t.equal(answer.headers.get('content-type'), 'application/json');
      const body = JSON.parse(answer.body) as { error: string; code: string };
      if (expected.error !== undefined) t.equal(body.error, expected.error);
      if (expected.code !== undefined) t.equal(body.code, expected.code);
    }
    t.end();
  });
}

for (const [i, [target, status, code]] of UNDER_CONTEXT.entries())
  t.test(`${target} under ${CONTEXT}`, (t) => {
    const response = underContext[i]!;
    t.equal(response.status, status);
    if (code !== undefined) t.match(JSON.parse(response.body), { code });
    t.end();
  });

t.test('a 204 has neither a length nor a type', async (t) => {
  const { headers } = await sendRaw(port, requestBytes('OPTIONS', '/_health'));
  t.notOk(headers.has('content-length'));
  t.notOk(headers.has('content-type'));
});

t.test('HEAD has the headers of GET and no body', async (t) => {
  const got = await sendRaw(port, requestBytes('GET', '/nope'));
  const head = await sendRaw(port, requestBytes('HEAD', '/nope'));
  t.equal(head.status, 404);
  t.equal(head.body, '');
  t.equal(head.headers.get('content-length'), String(got.body.length));
  t.equal(head.headers.get('content-type'), 'application/json');
});

t.test('after HEAD the connection serves the next request', async (t) => {
  const { text } = await sendRaw(
    port,
    requestBytes('HEAD', '/nope') + requestBytes('GET', '/_QUERIES/a/..'),
    { responses: 2 },
  );
  t.match(text, /^HTTP\/1\.1 404 [^]*\r\n\r\nHTTP\/1\.1 400 /);
});
