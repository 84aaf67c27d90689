/** Methods of the modern era: every result is marked as complete and names the server. */
import t from 'tap';
import { EndpointUnderTest, modern, request } from '../fixed-tools.js';

const asked = new EndpointUnderTest();
const ask = asked.ask.bind(asked);

const END = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'service', version: '2.1.0' } },
};

t.test('server/discover', async (t) => {
  const { status, body } = await ask(...modern('server/discover'));
  t.equal(status, 200);
  const { instructions, ...rest } = body.result;
  t.match(instructions, /list_tables/);
  t.same(rest, {
    supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    capabilities: {
      tools: { listChanged: false },
      resources: { subscribe: false, listChanged: false },
    },
    ttlMs: 300_000,
    cacheScope: 'public',
    ...END,
  });
});

t.test('tools/list', async (t) => {
  const first = await ask(...modern('tools/list'));
  t.match(first, {
    status: 200,
    body: { result: { nextCursor: '2', ttlMs: 1_000, cacheScope: 'private', ...END } },
  });
  const { body } = await ask(...modern('tools/list', { cursor: '2' }));
  t.match(body.result, { tools: [{ name: 'hidden' }], ttlMs: 1_000, cacheScope: 'private', ...END });
  t.notOk('nextCursor' in body.result);
}); // prettier-ignore

t.test('tools/call', async (t) => {
  const echo = await ask(...modern('tools/call', { name: 'echo', arguments: { a: 1 } }));
  t.equal(echo.status, 200);
  const content = [{ type: 'text', text: '{"args":{"a":1}}' }];
  t.same(echo.body.result, { content, structuredContent: { args: { a: 1 } }, ...END });
  const { body } = await ask(...modern('tools/call', { name: 'fail' }));
  t.match(body.result, { isError: true, ...END });
  t.match(await ask(...modern('tools/call', { name: 'hidden' })), {
    status: 400,
    body: { id: 1, error: { code: 400 } },
  });
});

t.test('invalid parameters are errors with status 200, as in the legacy era', async (t) => {
  for (const [method, params] of [
    ['tools/call', {}],
    ['tools/call', { name: 'nope' }],
    ['tools/list', { cursor: 'x' }],
  ] as const)
    t.match(await ask(...modern(method, params)), {
      status: 200,
      body: { id: 1, error: { code: -32602 } },
    });
});

t.test('unknown methods, and those of the legacy era', async (t) => {
  for (const method of ['initialize', 'ping', 'prompts/list', 'subscriptions/listen', 'x'])
    t.same(await ask(...modern(method)), {
      status: 404,
      body: {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32601,
          message: `unknown method "${method}": there are server/discover, tools/list, tools/call, resources/list, resources/templates/list and resources/read`,
        },
      },
    });
});

t.test('headers are checked before the method', async (t) => {
  const wrong = { headers: { 'Mcp-Method': 'tools/list' } };
  t.match(await ask(...modern('x', {}, wrong)), {
    status: 400,
    body: { id: 1, error: { code: -32020 } },
  });
  t.match(await ask(...modern('tools/call', { name: 'nope' }, { headers: { 'Mcp-Name': 'x' } })), {
    status: 400,
    body: { id: 1, error: { code: -32020 } },
  });
});

t.test('a header of the modern era only', async (t) => {
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'initialize' };
  t.match(await ask(request('initialize', {}, 's'), headers), {
    status: 400,
    body: { id: 's', error: { code: -32602 } },
  });
});

t.test('a notification', async (t) => {
  const [message, headers] = modern('notifications/cancelled', { requestId: 1 });
  t.same(await ask({ ...message, id: undefined }, headers), { status: 202, body: '' });
});
