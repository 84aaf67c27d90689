/** Headers required by protocol versions: on each message since 2026-07-28, per connection before that. */
import t from 'tap';
import { Adapter, json, reply, request, startEndpoint, type ReceivedRequest } from './adapter.js';

const NAMES = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

function eraOf({ headers }: ReceivedRequest): (string | undefined)[] {
  return NAMES.map((name) => headers[name] as string | undefined);
}

const envelope = (version: unknown, params: Record<string, unknown> = {}) => ({
  ...params,
  _meta: { 'io.modelcontextprotocol/protocolVersion': version },
});

t.test('a message that names its version', async (t) => {
  const { url, received } = await startEndpoint(t, reply);
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  const modern = '2026-07-28';
  const cases: [method: string, params: unknown, headers: (string | undefined)[]][] = [
    ['server/discover', envelope(modern), [modern, 'server/discover', undefined]],
    ['tools/list', envelope(modern, { name: 'x' }), [modern, 'tools/list', undefined]],
    ['tools/call', envelope(modern, { name: 'service.x' }), [modern, 'tools/call', 'service.x']],
    ['prompts/get', envelope(modern, { name: 'p' }), [modern, 'prompts/get', 'p']],
    ['resources/read', envelope(modern, { uri: 'a:b', name: 'x' }), [modern, 'resources/read', 'a:b']],
    ['tools/call', envelope(modern, { name: 7 }), [modern, 'tools/call', undefined]],
    ['tools/call', envelope(modern), [modern, 'tools/call', undefined]],
    ['tools/call', envelope('1900-01-01', { name: 'x' }), ['1900-01-01', 'tools/call', 'x']],
    ['tools/call', envelope(20260728, { name: 'x' }), [undefined, undefined, undefined]],
    ['tools/call', { name: 'x', _meta: null }, [undefined, undefined, undefined]],
    ['tools/call', [envelope(modern)], [undefined, undefined, undefined]],
    ['constructor', envelope(modern), [modern, 'constructor', undefined]],
    // Text that a header cannot hold.
    ['tools/call', envelope(modern, { name: 'a b' }), [modern, 'tools/call', 'a b']],
    ['tools/call', envelope(modern, { name: '' }), [modern, 'tools/call', '=?base64??=']],
    ['tools/call', envelope(modern, { name: ' a' }), [modern, 'tools/call', '=?base64?IGE=?=']],
    ['tools/call', envelope(modern, { name: 'größe' }), [modern, 'tools/call', '=?base64?Z3LDtsOfZQ==?=']],
    ['tools/call', envelope(modern, { name: 'a\r\nX: y' }), [modern, 'tools/call', '=?base64?YQ0KWDogeQ==?=']],
    ['tools/call', envelope(modern, { name: '=?base64?YQ==?=' }), [modern, 'tools/call', '=?base64?PT9iYXNlNjQ/WVE9PT89?=']],
    ['a\nb', envelope('2026\n'), ['=?base64?MjAyNgo=?=', '=?base64?YQpi?=', undefined]],
  ]; // prettier-ignore
  for (const [i, [method, params, headers]] of cases.entries()) {
    await adapter.send(request(i, method, params)).answered(i + 1);
    t.strictSame(eraOf(received[i]!), headers, JSON.stringify(params));
  }
  adapter.send(
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: envelope(modern) }),
  );
  t.equal(await adapter.end(), 0);
  t.strictSame(eraOf(received.at(-1)!), [modern, 'notifications/x', undefined]);
});

t.test('a connection that begins with initialize', async (t) => {
  let version: unknown = '2025-06-18';
  const { url, received } = await startEndpoint(t, (ask, response) => {
    const { id, method } = JSON.parse(ask.body) as { id?: unknown; method: string };
    const result = { protocolVersion: version, serverInfo: { name: 'service', version: '2.5.0' } };
    if (method !== 'initialize') reply(ask, response);
    // Late: the messages behind it wait.
    else setTimeout(() => json(response, 200, { jsonrpc: '2.0', id, result }), 300);
  });
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  adapter.send(request(0, 'initialize'), notification, request(1, 'tools/list'), request(2));
  await adapter.answered(3);
  version = '2024-11-05';
  adapter.send(request(3, 'initialize'), request(4));
  await adapter.answered(5);
  version = 5;
  adapter.send(request(5, 'initialize'), request(6, 'tools/list', envelope('2026-07-28')));
  t.equal(await adapter.end(), 0);
  const seen = new Map(received.map((ask) => [ask.body, eraOf(ask)]));
  for (const [line, headers] of [
    [request(0, 'initialize'), [undefined, undefined, undefined]],
    [notification, ['2025-06-18', undefined, undefined]],
    [request(1, 'tools/list'), ['2025-06-18', undefined, undefined]],
    [request(2), ['2025-06-18', undefined, undefined]],
    [request(3, 'initialize'), [undefined, undefined, undefined]],
    [request(4), ['2024-11-05', undefined, undefined]],
    [request(6, 'tools/list', envelope('2026-07-28')), ['2026-07-28', 'tools/list', undefined]],
  ] as const)
    t.strictSame(seen.get(line), headers, line);
  t.equal(adapter.stderr, '');
});

t.test('a service that is too old', async (t) => {
  const cases: [serverInfo: unknown, stderr: RegExp][] = [
    [{ name: 'service', version: '2.0.9' }, /the service is 2\.0\.9: this adapter needs 2\.1\.0 or later/],
    [{ name: 'service', version: 'v1.10.0-rc1' }, /the service is v1\.10\.0/],
    [{ name: 'service', version: '2.1.0' }, /^$/],
    [{ name: 'service', version: '10.0.0' }, /^$/],
    [{ name: 'service', version: 'new' }, /^$/],
    [{ name: 'service' }, /^$/],
    [{ name: 'another', version: '0.1.0' }, /^$/],
    [null, /^$/],
  ]; // prettier-ignore
  for (const [serverInfo, stderr] of cases) {
    const { url } = await startEndpoint(t, (_, response) => {
      json(response, 200, { jsonrpc: '2.0', id: 0, result: { protocolVersion: 'x', serverInfo } });
    });
    const adapter = new Adapter(t, { SERVICE_MCP_URL: url }).send(request(0, 'initialize'));
    t.equal(await adapter.end(), 0);
    t.match(adapter.stderr, stderr, JSON.stringify(serverInfo));
    t.equal(adapter.lines.length, 1);
  }
});
