/** The methods of resources in both eras. */
import t from 'tap';
import { EndpointUnderTest, modern, request } from '../fixed-tools.js';

const asked = new EndpointUnderTest();
const ask = asked.ask.bind(asked);

type Sent = (
  method: string,
  params?: Record<string, unknown>,
) => readonly [message: object, headers?: Record<string, string>];

const ERAS: readonly (readonly ['legacy' | 'modern', Sent, notFound: number])[] = [
  ['legacy', (method, params) => [request(method, params)], -32002],
  ['modern', (method, params) => modern(method, params), -32602],
];

for (const [era, of, notFound] of ERAS) {
  t.test(`${era}: an unknown resource`, async (t) => {
    for (const uri of ['fixed:nothing', 'service://main/public/x', 'no URI', '€'])
      t.same(await ask(...of('resources/read', { uri })), {
        status: 200,
        body: {
          jsonrpc: '2.0',
          id: 1,
          error: {
            code: notFound,
            message:
              'there is no such resource that you may read: resources are service://{database}/{schema}/{table}',
            data: { uri },
          },
        },
      });
  });

  t.test(`${era}: invalid parameters`, async (t) => {
    for (const [method, params, message] of [
      ['resources/read', {}, /^the URI of a resource is required/],
      ['resources/read', { uri: 1 }, /^the URI of a resource is required/],
      ['resources/list', { cursor: 1 }, /^cursor must be a string/],
      ['resources/list', { cursor: 'x' }, 'no such cursor'],
      ['resources/templates/list', { cursor: {} }, /^cursor must be a string/],
      ['resources/templates/list', { cursor: 'x' }, /^invalid cursor/],
    ] as const) {
      const { status, body } = await ask(...of(method, params));
      t.equal(status, 200);
      t.match(body.error, { code: -32602, message, data: undefined });
    }
  });

  t.test(`${era}: subscriptions are unknown methods`, async (t) => {
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      t.match((await ask(...of(method, { uri: 'fixed:a' }))).body.error, { code: -32601 });
  });

  t.test(`${era}: the list, page by page`, async (t) => {
    const first = (await ask(...of('resources/list'))).body.result;
    t.match(first, { resources: [{ uri: 'fixed:a', name: 'fixed:a' }], nextCursor: '2' });
    const { result } = (await ask(...of('resources/list', { cursor: '2' }))).body;
    t.match(result, { resources: [{ uri: 'fixed:größe' }] });
    t.notOk('nextCursor' in result);
    const caching = { ttlMs: 1_000, cacheScope: 'private' };
    if (era === 'modern') t.match(result, { ...caching, resultType: 'complete' });
    else t.strictSame(Object.keys(result), ['resources']);
  });

  t.test(`${era}: a text`, async (t) => {
    for (const uri of ['fixed:a', 'fixed:größe']) {
      const headers = { 'Mcp-Name': `=?base64?${Buffer.from(uri).toString('base64')}?=` };
      const sent = era === 'modern' ? modern('resources/read', { uri }, { headers }) : of('resources/read', { uri }); // prettier-ignore
      const { result } = (await ask(...sent)).body;
      const text = JSON.stringify({ about: uri });
      t.same(result['contents'], [{ uri, mimeType: 'application/json', text }]);
      t.equal(result['cacheScope'], era === 'modern' ? 'private' : undefined);
    }
  });

  t.test(`${era}: the template`, async (t) => {
    const { result } = (await ask(...of('resources/templates/list'))).body;
    t.match(result['resourceTemplates'], [
      {
        uriTemplate: 'service://{database}/{schema}/{table}',
        name: 'table',
        description: /The same as service\.describe_table\.$/,
        mimeType: 'application/json',
      },
    ]);
    t.equal(result['ttlMs'], era === 'modern' ? 300_000 : undefined);
    t.equal(result['cacheScope'], era === 'modern' ? 'public' : undefined);
  });
}

t.test('the log line of a text has the beginning of its URI', async (t) => {
  const under = new EndpointUnderTest(undefined, {
    page: () => Promise.reject(new Error('none')),
    read: () => Promise.resolve('{}'),
  });
  await under.ask(request('resources/read', { uri: 'x'.repeat(1_000) }));
  t.match(under.lines, [['debug', { resource: 'x'.repeat(128), tool: undefined }, 'MCP']]);
});
