/** Failures behind the endpoint: nothing is thrown, and responses reveal no internal details. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { RpcError, type Resources, type Tools } from '#app/mcp/arguments/tool.js';
import { EndpointUnderTest, modern, request } from '../fixed-tools.js';

/** failing are tools and resources that fail with an error, at once or later. */
function failing(error: Error, later: boolean): [Tools, Resources] {
  const fail = (): Promise<never> => {
    if (!later) throw error;
    return Promise.reject(error);
  };
  return [
    { page: fail, run: fail },
    { page: fail, read: fail },
  ];
}

const REQUESTS = [
  request('tools/list'),
  request('tools/call', { name: 'echo' }),
  request('resources/list'),
  request('resources/read', { uri: 'a:b' }),
];

for (const later of [false, true])
  t.test(later ? 'rejected' : 'thrown', async (t) => {
    for (const message of REQUESTS) {
      const broken = new EndpointUnderTest(...failing(new TypeError('secret'), later));
      t.same(await broken.ask(message), {
        status: 500,
        body: { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'internal error' } },
      });
      t.match(broken.lines, [['error', { requestId: 'r1', err: { message: 'secret' } }, /failed/]]);

      const busy = new EndpointUnderTest(...failing(new ServiceError('busy'), later));
      t.same(await busy.ask(message), {
        status: 200,
        body: { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'service is busy' } },
      });
      t.same(busy.lines, []);

      const refused = new EndpointUnderTest(
        ...failing(new RpcError(400, 'unauthorized listing', 400), later),
      );
      t.match(await refused.ask(message), { status: 400, body: { id: 1, error: { code: 400 } } });
      t.same(refused.lines, [['debug', { requestId: 'r1', code: 400 }, 'MCP: rejected']]);
    }
  });

t.test('GET', async (t) => {
  const broken = new EndpointUnderTest(...failing(new TypeError('secret'), true));
  t.same(await broken.ask('', {}, 'GET'), {
    status: 500,
    body: { error: 'internal error', code: 'internal' },
  });
  t.equal(broken.lines[0]?.[0], 'error');
  const busy = new EndpointUnderTest(...failing(new ServiceError('busy'), false));
  t.same(await busy.ask('', {}, 'GET'), {
    status: 503,
    body: { error: 'service is busy', code: 'busy' },
  });
  t.same(busy.lines, []);
});

t.test('the log line of a request has the tool, and never its arguments', async (t) => {
  const asked = new EndpointUnderTest();
  await asked.ask(request('tools/call', { name: 'echo', arguments: { a: 'secret' } }));
  await asked.ask(...modern('tools/list'));
  await asked.ask(request('nope'));
  t.match(asked.lines, [
    ['debug', { requestId: 'r1', method: 'tools/call', tool: 'echo', ms: Number }, 'MCP'],
    ['debug', { requestId: 'r1', method: 'tools/list', tool: undefined, ms: Number }, 'MCP'],
    ['debug', { requestId: 'r1', code: -32601 }, 'MCP: rejected'],
  ]);
  t.notMatch(JSON.stringify(asked.lines), /secret/);
});
