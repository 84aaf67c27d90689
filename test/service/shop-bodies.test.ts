/** Bodies that a hostile or a careless client sends to the shop of the examples; afterwards it serves as before. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { sendRaw } from '../support/raw-http.js';
import { startShop } from './shop.js';

const MAX_BODY = 2 << 20;

const shop = await startShop(
  t,
  { 'http.max_body': MAX_BODY },
  {
    'api/echo.write.sql': `-- @path /v1/echo
-- @one
SELECT {{sqlVal "body.a"}} AS a, {{sqlVal "body.__proto__"}} AS proto, {{sqlVal "body.constructor"}} AS constructor,
  length({{sqlVal "body.text"}}) AS length, {{sqlVal "body.toString.call"}} AS nested`,
    'api/size.write.sql': `-- @path /v1/size
-- @scalar
SELECT length({{sqlVal "request.body"}})`,
    'api/text.write.sql': `-- @path /v1/text
SELECT id FROM products WHERE name = '{{index . "body.name"}}' OR id IN {{inFormat "body.ids"}}`,
  },
);
const { service } = shop;

const echo = async (body: string): Promise<unknown> => {
  const { status, json, text } = await shop.send('POST /v1/echo', body);
  return status === 200 ? json : text;
};

t.test('names of Object.prototype', async (t) => {
  const none = { a: null, proto: null, constructor: null, length: null, nested: null };
  t.strictSame(await echo('{}'), none);
  t.strictSame(await echo('{"__proto__": {"a": "polluted"}}'), {
    ...none,
    proto: '{"a": "polluted"}',
  });
  t.strictSame(await echo('{"constructor": "c", "toString": {"call": "x"}, "__proto__": 1}'), {
    ...none,
    proto: '1',
    constructor: 'c',
    nested: 'x',
  });
  t.strictSame(await echo('{}'), none, 'nothing is left of it');
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    t.equal(await shop.code(`GET /v1/products?${name}=x`), '400 unknown_parameter', name);
});

t.test('10,000 members, a text of 1 MiB, numbers as sent', async (t) => {
  const members = Array.from({ length: 10_000 }, (_, i) => `"m${i}": ${i}`).join(', ');
  t.match(await echo(`{${members}, "a": "last"}`), { a: 'last' });
  t.match(await echo(`{"text": "${'é'.repeat(1 << 19)}"}`), { length: 1 << 19 });
  t.match(await echo(`{"text": "${'x'.repeat(1 << 20)}"}`), { length: 1 << 20 });
  t.match(await echo('{"a": 12345678901234567890123}'), { a: '12345678901234567890123' });
  t.match(await echo('{"a": 1e400}'), { a: '1e400' });
  t.match(await echo(`{"a": ${'['.repeat(60)}${']'.repeat(60)}}`), { a: /^\[\[/ });
});

t.test('too large', async (t) => {
  const large = JSON.stringify({ text: 'x'.repeat(MAX_BODY) });
  t.equal(await shop.code('POST /v1/echo', large), '413 body_too_large');
  t.equal(await shop.code('POST /v1/products/3', large), '413 body_too_large');
  for (const [coding, bomb] of [
    ['gzip', gzipSync(large)],
    ['br', brotliCompressSync(large)],
  ] as const) {
    const { status } = await fetch(`${service.url}/v1/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
      body: bomb,
    });
    t.equal(status, 413, coding);
  }
  const small = await fetch(`${service.url}/v1/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"a": "small"}'),
  });
  t.match(await small.json(), { a: 'small' });
});

const head = (path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;

t.test('half-sent, chunked, and of a wrong length', async (t) => {
  const before = await shop.contents();
  const tea = JSON.stringify({ name: 'Half', category: 'tea', price: 1 });
  const half = head('/v1/products', `Content-Length: ${tea.length + 9}\r\n`) + tea;
  t.equal((await sendRaw(service.port, half, { halfClose: true, wait: 1_000 })).status, 0);
  const open = head('/v1/products', 'Transfer-Encoding: chunked\r\n');
  const chunk = `${tea.length.toString(16)}\r\n${tea}\r\n`;
  t.equal((await sendRaw(service.port, open + chunk, { halfClose: true, wait: 1_000 })).status, 0);
  t.strictSame(await shop.contents(), before, 'a request without its end has no effect');
  const cut = head('/v1/products', `Content-Length: ${tea.length - 1}\r\nConnection: close\r\n`);
  t.match(await sendRaw(service.port, cut + tea), { status: 400, body: /invalid_body/ });
  const both = head('/v1/products', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n');
  t.equal((await sendRaw(service.port, both + chunk)).status, 400);
  t.strictSame(await shop.contents(), before, 'nor has one that is wrong');
  const pieces = [open, '3\r\n{"n\r\n', `${(tea.length - 3).toString(16)}\r\n${tea.slice(3)}\r\n`, '0\r\n\r\n']; // prettier-ignore
  const made = await sendRaw(service.port, pieces, { between: 20 });
  t.match([made.status, made.headers.get('location')], [201, /^\/v1\/products\/\d+$/]);
});

t.test('what is interpolated is screened, wherever it comes from', async (t) => {
  const bad = ["x' OR 'a'='a", 'a; DROP TABLE products', 'x--', "'"];
  for (const name of bad) {
    t.equal(await shop.code('POST /v1/text', { name, ids: ['1'] }), '400 invalid_value', name);
    t.equal(await shop.code('POST /v1/text', { name: 'x', ids: [name] }), '400 invalid_value', name); // prettier-ignore
  }
  t.match((await shop.send('POST /v1/echo?body.a=x&request.body=x', {})).json, { a: null });
  t.equal(await shop.code('POST /v1/text', { name: 'Yokan', ids: [1] }), '200');
});

t.test('other bodies of request.body', async (t) => {
  t.equal((await shop.send('POST /v1/size', 'héllo', 'text/plain')).json, 5);
  t.equal((await shop.send('POST /v1/size', '<a/>', 'application/xml')).json, 4);
  t.equal((await shop.send('POST /v1/size', 'abc', 'application/octet-stream')).json, '\\x616263'.length); // prettier-ignore
  t.equal((await shop.send('POST /v1/size')).json, null);
  t.equal(await shop.code('POST /v1/size', '{', 'application/json'), '400 invalid_body');
  t.equal(await shop.code('POST /v1/echo', '--x\r\n', 'multipart/form-data; boundary=x'), '400 invalid_body'); // prettier-ignore
  t.equal(await shop.code('POST /v1/echo', 'x', 'multipart/form-data'), '400 invalid_body');
});

t.test('it serves as before', async (t) => {
  t.match((await shop.send('GET /v1/products/3')).json, { name: 'Sencha Yame' });
  t.notOk(service.lines.some(({ level }) => Number(level) >= 50));
});
