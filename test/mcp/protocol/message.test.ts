/** Valid messages, and the errors for invalid ones. */
import t from 'tap';
import { readMessage } from '#app/mcp/protocol/message.js';

const INVALID: readonly (readonly [
  what: string,
  text: string,
  id: string | undefined,
  code: number,
  says: RegExp,
])[] = [
  [
    'nothing',
    '',
    undefined,
    -32700,
    /^the body is empty, or not UTF-8: post one JSON-RPC 2\.0 request/,
  ],
  ['blanks', ' \n', undefined, -32700, /not JSON/],
  ['half of an object', '{"jsonrpc":"2.0","id":1', undefined, -32700, /not JSON/],
  ['two objects', '{} {}', undefined, -32700, /not JSON/],
  ['no JSON, nested beyond all measure', '['.repeat(1 << 20), undefined, -32700, /not JSON/],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', undefined, -32600, /^a batch/],
  ['an empty batch', '[]', undefined, -32600, /^a batch/],
  ['null', 'null', undefined, -32600, /no object/],
  ['a string', '"ping"', undefined, -32600, /no object/],
  ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined, -32600, /^id must be/],
  ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined, -32600, /^id/],
  [
    'an id beyond all numbers',
    '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    undefined,
    -32600,
    /^id/,
  ],
  ['a list as id', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', undefined, -32600, /^id/],
  ['no version', '{"id":1,"method":"ping"}', '1', -32600, /^jsonrpc must be "2\.0"/],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '1', -32600, /^jsonrpc/],
  ['a number as version', '{"jsonrpc":2.0,"id":1,"method":"ping"}', '1', -32600, /^jsonrpc/],
  ['no method', '{"jsonrpc":"2.0","id":"a"}', '"a"', -32600, /^method is missing/],
  ['a number as method', '{"jsonrpc":"2.0","id":1,"method":1}', '1', -32600, /^method must be/],
  ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}', '1', -32600, /^nothing was asked/],
  ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1}}', '1', -32600, /^nothing was asked/],
  ['a list of params', '{"jsonrpc":"2.0","id":1,"method":"m","params":[]}', '1', -32600, /^params/],
  ['text for params', '{"jsonrpc":"2.0","id":1,"method":"m","params":""}', '1', -32600, /^params/],
];

for (const [what, text, id, code, says] of INVALID)
  t.test(`invalid: ${what}`, (t) => {
    const message = readMessage(text);
    t.match(message, { id, error: { code, status: 400, message: says } });
    t.end();
  });

const READ: readonly (readonly [
  what: string,
  text: string,
  id: string | undefined,
  params: object,
])[] = [
  ['a notification', '{"jsonrpc":"2.0","method":"m"}', undefined, {}],
  ['params null', '{"jsonrpc":"2.0","id":1,"method":"m","params":null}', '1', {}],
  ['the last of repeated members', '{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}', '2', {}],
  ['a member that is not known', '{"jsonrpc":"2.0","id":1,"method":"m","x":1}', '1', {}],
  [
    'a prototype is a member like others',
    '{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"params":{"a":1}}}',
    '1',
    {},
  ],
];

for (const [what, text, id, params] of READ)
  t.test(`valid: ${what}`, (t) => {
    t.same(readMessage(text), { id, method: 'm', params });
    t.end();
  });

t.test('an id is repeated as it was sent', (t) => {
  const ids = ['0', '-1', '""', '"a"', '"\\"\\u00e9\\\\"', '9007199254740991', '9007199254740993'];
  ids.push('-123456789012345678901234567890');
  for (const id of ids)
    for (const text of [
      `{"jsonrpc":"2.0","id":${id},"method":"m"}`,
      `{"id" : 7, "method":"m","params":{"id":8,"a":["}",{"id":9}],"b":"\\",\\"id\\":3"},\n"\\u0069d" :\t${id} ,"jsonrpc":"2.0"}`,
    ]) {
      const { id: read } = readMessage(text);
      t.equal(read, id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id, text);
    }
  t.end();
});

t.test('params nested as deeply as a body allows', (t) => {
  const depth = 300_000;
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  t.match(readMessage(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${deep}}}`), { id: '1' });
  t.end();
});
