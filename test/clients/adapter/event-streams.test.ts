/** Endpoints that respond with an event stream: its messages are forwarded one by one, as they arrive. */
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { Adapter, converse, request, startEndpoint } from './adapter.js';

const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
const result = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"t":"é🎈"}}`;
const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';

t.test('streams', async (t) => {
  const cases: [name: string, stream: string, lines: string[]][] = [
    ['one event', `data: ${result(1)}\n\n`, [result(1)]],
    ['CRLF, no space, fields that do not matter', `: hello\r\nid: 1\r\nevent: message\r\ndata:${result(1)}\r\nretry: 5\r\n\r\n`, [result(1)]],
    ['messages before the answer', `data: ${progress}\n\nid: 2\ndata: ${result(1)}\n\n`, [progress, result(1)]],
    ['several lines of data', `data: {"jsonrpc":"2.0",\ndata: "id":1,\ndata:  "result":{}}\n\n`, ['{"jsonrpc":"2.0", "id":1,  "result":{}}']],
    ['events without a message', `data\n\ndata: \n\ndata: hello\n\ndatum: 1\n\ndata: ${result(1)}\n\n`, [result(1)]],
  ]; // prettier-ignore
  for (const [name, stream, lines] of cases) {
    const { url } = await startEndpoint(t, (_, response) => void begin(response).end(stream));
    const adapter = await converse(t, url, [request(1)]);
    t.strictSame([adapter.lines, adapter.stderr], [lines, ''], name);
  }
});

t.test('streams without an answer', async (t) => {
  for (const stream of ['', `data: ${progress}\n\n`, `data: ${result(1)}`, 'data: hello\n\n']) {
    const { url } = await startEndpoint(t, (_, response) => void begin(response).end(stream));
    const { messages } = await converse(t, url, [request(1)]);
    const { id, error } = messages.at(-1)!;
    t.strictSame([id, error?.code], [1, -32603], stream);
    t.match(error?.message, /no JSON-RPC answer/);
  }
});

t.test(
  'messages come out before the stream ends, whole, and a stream that breaks is an error',
  async (t) => {
    let open: ServerResponse | undefined;
    const { url } = await startEndpoint(t, (_, response) => {
      open = begin(response);
      const bytes = Buffer.from(`data: ${progress.replace('{}', '{"message":"é🎈"}')}\n\ndata: `);
      const middle = bytes.indexOf('🎈') + 2;
      response.write(bytes.subarray(0, middle));
      setTimeout(() => response.write(bytes.subarray(middle)), 100);
    });
    const adapter = new Adapter(t, { SERVICE_MCP_URL: url }).send(request(1));
    await adapter.answered(1);
    t.equal(adapter.lines[0], progress.replace('{}', '{"message":"é🎈"}'));
    open!.destroy();
    const { id, error } = (await adapter.answered(2)).at(-1)!;
    t.equal(id, 1);
    t.match(error?.message, /closed the connection before its answer was complete/);
    t.equal(await adapter.end(), 0);
  },
);

t.test('a stream for a notification is not forwarded', async (t) => {
  const { url } = await startEndpoint(
    t,
    (_, response) => void begin(response).end(`data: ${progress}\n\n`),
  );
  const { lines } = await converse(t, url, ['{"jsonrpc":"2.0","method":"notifications/x"}']);
  t.strictSame(lines, []);
});
