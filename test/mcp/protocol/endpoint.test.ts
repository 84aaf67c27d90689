/** Methods of the legacy era, and behaviour of both eras. */
import t from 'tap';
import { EndpointUnderTest, request } from '../fixed-tools.js';

const asked = new EndpointUnderTest();
const ask = asked.ask.bind(asked);

const INSTRUCTED = {
  capabilities: {
    tools: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
  },
  serverInfo: { name: 'service', version: '2.1.0' },
  instructions: /list_tables.*aggregate_table.*100 at most.*next_offset/,
};

t.test(
  'initialize: a version that is known comes back, for any other one the newest',
  async (t) => {
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
      t.match(await ask(request('initialize', { protocolVersion: version })), {
        status: 200,
        body: { jsonrpc: '2.0', id: 1, result: { protocolVersion: version, ...INSTRUCTED } },
      });
    for (const params of [
      undefined,
      {},
      ...['1999-01-01', '2026-07-28', 7, null].map((protocolVersion) => ({ protocolVersion })),
    ])
      // prettier-ignore
      t.match(await ask(request('initialize', params)), {
      status: 200,
      body: { result: { protocolVersion: '2025-11-25', ...INSTRUCTED } },
    });
  },
);

t.test('ping', async (t) => {
  t.same(await ask(request('ping')), { status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
});

t.test('ids are repeated', async (t) => {
  for (const id of [0, -5, '', 'a"b', '2'])
    t.same((await ask(request('ping', {}, id))).body, { jsonrpc: '2.0', id, result: {} });
});

t.test('a notification gets 202 and nothing runs', async (t) => {
  for (const method of ['notifications/initialized', 'notifications/nobody', 'tools/call', 'x'])
    t.same(await ask({ jsonrpc: '2.0', method, params: { name: 'broken' } }), { status: 202, body: '' });
}); // prettier-ignore

t.test('invalid messages', async (t) => {
  t.same(await ask('{'), {
    status: 400,
    body: {
      jsonrpc: '2.0',
      error: {
        code: -32700,
        message: 'the body is not JSON: post one JSON-RPC 2.0 request or notification',
      },
    },
  });
  t.match(await ask({ jsonrpc: '1.0', id: 'a' }), { status: 400, body: { id: 'a' } });
});

t.test('a version that is not supported', async (t) => {
  t.match(await ask(request('ping'), { 'MCP-Protocol-Version': '1999-01-01' }), {
    status: 400,
    body: { id: 1, error: { code: -32022, data: { requested: '1999-01-01' } } },
  });
});

t.test('an unknown method', async (t) => {
  for (const method of [
    'prompts/list',
    'resources/subscribe',
    'server/discover',
    'toString',
    '__proto__',
    '',
  ])
    t.same(await ask(request(method)), {
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32601,
          message: `unknown method "${method}": there are initialize, ping, tools/list, tools/call, resources/list, resources/templates/list and resources/read`,
        },
      },
    });
});

t.test('tools/list, page by page', async (t) => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
  const first = { tools: [tool('echo'), tool('fail')], nextCursor: '2' };
  for (const params of [undefined, {}, { cursor: null }])
    t.same((await ask(request('tools/list', params))).body.result, first);
  t.same((await ask(request('tools/list', { cursor: '2' }))).body.result, { tools: [tool('hidden')] }); // prettier-ignore
});

t.test('tools/list with an invalid cursor', async (t) => {
  for (const cursor of [1, {}, [], true])
    t.match(await ask(request('tools/list', { cursor })), {
      status: 200,
      body: { error: { code: -32602, message: /^cursor must be a string/ } },
    });
  t.match(await ask(request('tools/list', { cursor: 'x' })), {
    status: 200,
    body: { id: 1, error: { code: -32602, message: 'no such cursor' } },
  });
});

t.test('tools/call: a result as text and as structured content', async (t) => {
  for (const [args, given] of [
    [{ a: [1, 'ü\u2028'] }, { a: [1, 'ü\u2028'] }],
    [null, {}],
    [undefined, {}],
  ] as const) {
    // prettier-ignore
    const { status, body } = await ask(request('tools/call', { name: 'echo', arguments: args }));
    t.equal(status, 200);
    const text = JSON.stringify({ args: given });
    t.same(body.result, { content: [{ type: 'text', text }], structuredContent: { args: given } });
  }
});

t.test('tools/call: errors for the model are results', async (t) => {
  const error = (text: string | RegExp) => ({ content: [{ type: 'text', text }], isError: true });
  const { status, body } = await ask(request('tools/call', { name: 'fail' }));
  t.equal(status, 200);
  t.same(body.result, error('not like "that"\nbut like this'));
  for (const args of [[], 'x', 1, true])
    t.match((await ask(request('tools/call', { name: 'echo', arguments: args }))).body, {
      id: 1,
      result: error(/^arguments must be an object/),
    });
});

t.test('tools/call: errors for the client are errors', async (t) => {
  for (const params of [undefined, {}, { name: '' }, { name: 1 }, { name: null }])
    t.match(await ask(request('tools/call', params)), {
      status: 200,
      body: { id: 1, error: { code: -32602, message: /^tool name is required/ } },
    });
  t.match(await ask(request('tools/call', { name: 'nope' })), {
    status: 200,
    body: { error: { code: -32602, message: 'unknown tool: nope' } },
  });
});

t.test('a hidden listing', async (t) => {
  t.same(await ask(request('tools/call', { name: 'hidden' }, 'h')), {
    status: 400,
    body: { jsonrpc: '2.0', id: 'h', error: { code: 400, message: 'unauthorized listing' } },
  });
});

t.test('members named __proto__', async (t) => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","__proto__":{"name":"x"},"arguments":{"__proto__":{"a":1}}}}'; // prettier-ignore
  const { body } = await ask(text);
  t.match(body.result, { content: [{ text: '{"args":{"__proto__":{"a":1}}}' }] });
  t.equal(({} as Record<string, unknown>)['a'], undefined);
});
