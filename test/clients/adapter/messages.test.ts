/** Messages reach the endpoint unchanged, and each request gets one response under its own id. */
import t from 'tap';
import { Adapter, converse, json, reply, request, startEndpoint } from './adapter.js';

t.test('bytes are unchanged', async (t) => {
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":12345678901234567890.10}}',
    '  { "id" : 1 , "method":"ping" , "jsonrpc":"2.0", "id":2 }  ',
    '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"t":"\\u00e9é 🎈\\n"}}',
    '[{"jsonrpc":"2.0","id":4,"method":"ping"}]',
    '17',
    '"text"',
    '{}',
    '['.repeat(100_000) + ']'.repeat(100_000),
  ];
  const { url, received } = await startEndpoint(t, (_, response) => {
    json(response, 400, { jsonrpc: '2.0', error: { code: -32600, message: 'no' } });
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  for (const [i, line] of lines.entries()) {
    await adapter.send(line).answered(i + 1);
    t.equal(received[i]!.body, line);
    t.equal(received[i]!.headers['content-type'], 'application/json');
    t.equal(received[i]!.headers.accept, 'application/json, text/event-stream');
  }
  t.strictSame(
    adapter.messages.map(({ id }) => id),
    [1, 2, 3, undefined, undefined, undefined, undefined, undefined],
    'an error without id gets the one of its request',
  );
  t.equal(await adapter.end(), 0);
});

t.test('lines that are not messages', async (t) => {
  const { url, received } = await startEndpoint(t, reply);
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  const write = (bytes: string | Buffer) => adapter.child.stdin!.write(bytes);
  write('\n\r\n   \n\t\n');
  write(' '.repeat(200) + '\n');
  write(`${request(1)}\r\n`);
  write(' '.repeat(200) + request(2) + '\n');
  await adapter.answered(2);
  for (const bad of [
    '{"jsonrpc":"2.0",',
    'hello',
    '{"a":"\x01"}',
    Buffer.from('"\xff"', 'latin1'),
  ]) {
    const before = adapter.lines.length;
    write(bad);
    write('\n');
    const message = (await adapter.answered(before + 1)).at(-1)!;
    t.equal(message.error?.code, -32700);
    t.notOk('id' in message, 'clients refuse null');
  }
  write(request(3)); // the last line has no end
  t.equal(await adapter.end(), 0);
  t.strictSame(
    adapter.messages
      .filter((message) => message.result)
      .map(({ id }) => id)
      .toSorted(),
    [1, 2, 3],
  );
  t.equal(received.length, 3, 'nothing else is forwarded');
  t.equal(received[0]!.body, request(1), 'without the CR');
});

t.test('a message that is too long, and one that is long', async (t) => {
  const { url, received } = await startEndpoint(t, reply);
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url });
  const line = request(1, 'ping', { text: 'é'.repeat(10 << 20) });
  adapter.send(request(0, 'ping', { text: 'é'.repeat(33 << 20) }), line);
  const [refused, answer] = await adapter.answered(2);
  t.match(refused, { error: { code: -32600, message: /more than 64 MiB/ } });
  t.equal(answer!.id, 1);
  t.strictSame(
    received.map(({ body }) => body === line),
    [true],
  );
  t.equal(await adapter.end(), 0);
});

t.test('ids', async (t) => {
  const ids = [
    '0',
    '1',
    '-5',
    '1.5',
    '9007199254740993',
    '18446744073709551615',
    '""',
    '"a\\"b"',
    '"é\\u0001"',
  ];
  const line = (id: string) => `{"method":"ping","params":{"id":7},"id":${id},"jsonrpc":"2.0"}`;
  const good = await startEndpoint(t, ({ body }, response) => {
    const id = /"id":([^,]+),"jsonrpc/.exec(body)![1]!;
    response.end(`{"jsonrpc":"2.0","id":${id},"result":{"n":9007199254740993}}`);
  });
  const bad = await startEndpoint(t, (_, response) => response.writeHead(500).end('<html>'));
  for (const id of ids) {
    const { lines } = await converse(t, good.url, [line(id)]);
    t.strictSame(lines, [`{"jsonrpc":"2.0","id":${id},"result":{"n":9007199254740993}}`]);
    const { lines: failed } = await converse(t, bad.url, [line(id)]);
    const beginning = `{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,`;
    t.equal(failed.length, 1);
    t.equal(failed[0]!.slice(0, beginning.length), beginning);
  }
  for (const id of ['null', '{}', 'true'])
    t.notOk('id' in (await converse(t, bad.url, [line(id)])).messages[0]!, id);
});

t.test('messages that expect no response get none', async (t) => {
  const silent = [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    '[{"jsonrpc":"2.0","method":"notifications/initialized"}]',
  ];
  const cases: [status: number, body: string, stderr: RegExp][] = [
    [202, '', /^$/],
    [200, '', /^$/],
    [200, '{"jsonrpc":"2.0","id":1,"result":{}}', /^$/],
    [400, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}', /HTTP 400/],
    [401, '{"error":"authorization token is empty"}', /wants a token.*set SERVICE_MCP_TOKEN/],
    [302, '', /redirects/],
    [500, '<html>', /HTTP 500/],
  ];
  for (const [status, body, stderr] of cases) {
    const { url, received } = await startEndpoint(t, (_, response) =>
      response.writeHead(status).end(body),
    );
    const adapter = await converse(t, url, silent);
    t.strictSame([adapter.code, adapter.lines], [0, []], String(status));
    t.equal(received.length, silent.length);
    t.match(adapter.stderr, stderr);
    t.ok(adapter.stderr.split('\n').length <= 2, 'the same is said once');
  }
  const { url } = await startEndpoint(t, (_, response) => response.writeHead(202).end());
  t.strictSame((await converse(t, url, [request(1)])).lines, [], '202 means that there is nothing');
  const gone = await startEndpoint(t, reply);
  await gone.close();
  const adapter = await converse(t, gone.url, silent);
  t.strictSame([adapter.code, adapter.lines], [0, []]);
  t.match(adapter.stderr, /refuses connections/);
});
