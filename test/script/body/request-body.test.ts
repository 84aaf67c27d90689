/** The body of a request by its Content-Type: what a script finds under `request.body` and `body.`, and what is refused. */
import t from 'tap';
import { readBody, type BodyUse, type BodyValue } from '#app/script/body/request-body.js';
import { ServiceError } from '#app/base/errors.js';

const characters = (body: string | Buffer): string =>
  Buffer.from(body as string).toString('latin1');

/** The values of some names, or the error. */
async function read(
  body: string | Buffer,
  contentType: string,
  names: readonly string[],
  use: BodyUse = 'members',
): Promise<(BodyValue | undefined)[] | string> {
  try {
    const found = await readBody({ characters: characters(body), contentType }, use);
    return names.map((name) => found.get(name));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

const part = (lines: readonly string[], text: string): string =>
  `--b\r\n${lines.join('\r\n')}\r\n\r\n${text}\r\n`;
const field = (name: string, text: string): string =>
  part([`Content-Disposition: form-data; name="${name}"`], text);
const file = (name: string, filename: string, type: string, text: string): string =>
  part(
    [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, `Content-Type: ${type}`],
    text,
  ); // prettier-ignore

t.test('types that have members', async (t) => {
  const names = ['body.a', 'body.b', 'body.__proto__', 'body.c'];
  const found = ['1', ['x', 'y'], 'p', undefined];
  const json = '{"a":1,"b":["x","y"],"__proto__":"p"}';
  for (const type of [
    JSON_TYPE,
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/merge-patch+json',
    'application/problem+json; x=y',
  ])
    t.same(await read(json, type, names), found, type);
  t.same(await read('a=1&b=x&b=y&__proto__=p', FORM, names), found);
  const parts = field('a', '1') + field('b', 'x') + field('b', 'y') + field('__proto__', 'p');
  t.same(await read(`${parts}--b--\r\n`, MULTIPART, names), found);
});

t.test('the whole body', async (t) => {
  const whole = async (body: string | Buffer, type: string, use: BodyUse = 'text') =>
    (await read(body, type, ['request.body'], use))[0];
  t.equal(await whole('{ "a": 1.0 }', JSON_TYPE, 'members'), '{ "a": 1.0 }');
  t.equal(await whole('[{"a":1}]', JSON_TYPE), '[{"a":1}]');
  t.equal(await whole('a=%41', FORM), 'a=%41');
  t.equal(await whole('a=%41', FORM, 'members'), 'a=%41');
  t.equal(await whole('Łódź 😀\n', 'text/plain'), 'Łódź 😀\n');
  t.equal(await whole('<a/>', 'application/xml; charset=utf-8'), '<a/>');
  t.equal(await whole('<a/>', 'image/svg+xml'), '<a/>');
  t.equal(await whole('', 'text/csv'), '');
  const bytes = Buffer.from([0, 0xff, 0x41]);
  t.equal(await whole(bytes, 'application/octet-stream'), '\\x00ff41');
  t.equal(await whole(bytes, 'image/png'), '\\x00ff41');
  t.equal(await whole(bytes, ''), '\\x00ff41', 'without a type');
  t.match(await whole(field('a', '1'), MULTIPART), /^\\x2d2d62/);
});

t.test('files', async (t) => {
  const body =
    file('f', 'ź "q".txt'.replaceAll('"', '\\"'), 'text/plain', 'a\0b') +
    field('note', 'Łódź') +
    file('two', '1.bin', 'image/png', 'one') +
    file('two', '2.bin', 'image/gif', '') +
    '--b--\r\n';
  t.same(await read(body, MULTIPART, ['body.f', 'body.f.filename', 'body.f.type', 'body.note']), [
    '\\x610062',
    'ź "q".txt',
    'text/plain',
    'Łódź',
  ]);
  t.same(await read(body, MULTIPART, ['body.two', 'body.two.filename', 'body.two.type']), [
    ['\\x6f6e65', '\\x'],
    ['1.bin', '2.bin'],
    ['image/png', 'image/gif'],
  ]);
  const large = Buffer.alloc(3 << 20, 'z').toString();
  const [value] = await read(`${file('f', 'l', 'a/b', large)}--b--\r\n`, MULTIPART, ['body.f']);
  t.equal((value as string).length, 2 + 2 * (3 << 20));
});

t.test('refused', async (t) => {
  const types =
    'unsupported_media_type: this script takes a body of the type application/json, application/x-www-form-urlencoded or multipart/form-data';
  const cases: [body: string | Buffer, type: string, wanted: string, use?: BodyUse][] = [
    ['a', 'text/plain', types],
    ['a', '', types],
    ['a', 'application/octet-stream', types],
    ['a', 'application/json, text/plain', types],
    ['{}', 'application/json; charset=iso-8859-1', 'unsupported_media_type: bodies of a script are UTF-8'],
    ['a', 'text/plain; charset=latin1', 'unsupported_media_type: bodies of a script are UTF-8', 'text'],
    ['', JSON_TYPE, 'invalid_body: invalid request body: it is not JSON: a value is expected at line 1, column 1'],
    ['[1]', JSON_TYPE, 'invalid_body: invalid request body: a JSON object is expected'],
    ['null', JSON_TYPE, 'invalid_body: invalid request body: a JSON object is expected'],
    ['{', JSON_TYPE, 'invalid_body: invalid request body: it is not JSON: a closing brace is expected at line 1, column 2', 'text'],
    [Buffer.from([0x7b, 0x0a, 0x22, 0xff]), JSON_TYPE, 'invalid_body: invalid request body: a byte that is not UTF-8 at line 2, column 2'],
    [Buffer.from([0x61, 0xc5]), 'text/plain', 'invalid_body: invalid request body: a byte that is not UTF-8 at line 1, column 2', 'text'],
    ['a\nb\0', 'text/plain', 'invalid_body: invalid request body: a NUL, which PostgreSQL cannot store, at line 2, column 2', 'text'],
    ['a=%zz', FORM, 'invalid_body: invalid request body: an escape that cannot be decoded'],
    ['a=%00', FORM, 'invalid_body: invalid request body: an escape that cannot be decoded'],
    ['a&'.repeat(1001), FORM, 'invalid_body: invalid request body: more than 1000 parameters'],
    [' {"a":1}', FORM, 'invalid_body: invalid request body: JSON in a form: send it with Content-Type: application/json, at line 1, column 1'],
    [field('a', '1'), MULTIPART, 'invalid_body: invalid request body: it is not multipart: it ends too early, or its boundaries are wrong'],
    ['', MULTIPART, 'invalid_body: invalid request body: it is not multipart: it ends too early, or its boundaries are wrong'],
    ['no boundary at all', MULTIPART, 'invalid_body: invalid request body: it is not multipart: it ends too early, or its boundaries are wrong'],
    [file('f', 'n', 't/t', 'cut'), MULTIPART, 'invalid_body: invalid request body: it is not multipart: it ends too early, or its boundaries are wrong'],
    [`${field('a', '1')}--b--`, 'multipart/form-data', 'invalid_body: invalid request body: it is not multipart: its Content-Type has no boundary'],
    [`${field('a', '1')}${part([], 'x')}--b--`, MULTIPART, 'invalid_body: invalid request body: it is not multipart: a part has no Content-Disposition with form-data, or too many headers'],
    [`${part(['Content-Disposition: attachment; name="a"'], 'x')}--b--`, MULTIPART, 'invalid_body: invalid request body: it is not multipart: a part has no Content-Disposition with form-data, or too many headers'],
    [`${part([...Array.from({ length: 20 }, (_, i) => `X-${i}: y`), 'Content-Disposition: form-data; name="a"'], 'x')}--b--`, 'multipart/form-data; boundary="b"', 'invalid_body: invalid request body: it is not multipart: a part has no Content-Disposition with form-data, or too many headers'],
    [`${file('f', 'n', 't/t', 'x')}${field('f.filename', 'forged')}--b--`, MULTIPART, "invalid_body: invalid request body: it is not multipart: a field has the name of a file's filename or type"],
    [`${part(['Content-Disposition: form-data'], 'x')}--b--`, MULTIPART, 'invalid_body: invalid request body: it is not multipart: a part has no name'],
    [`${field('a', 'x\0')}--b--`, MULTIPART, 'invalid_body: invalid request body: a NUL, which PostgreSQL cannot store'],
    [Buffer.concat([Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'), Buffer.from([0xff]), Buffer.from('\r\n--b--')]), MULTIPART, 'invalid_body: invalid request body: a field is not UTF-8'],
    [`${field('a', '1').repeat(1001)}--b--`, MULTIPART, 'invalid_body: invalid request body: more than 1000 parts'],
  ]; // prettier-ignore
  for (const [body, type, wanted, use] of cases)
    t.equal(await read(body, type, [], use), wanted, `${type}: ${String(body).slice(0, 30)}`);
});
