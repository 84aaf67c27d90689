/** A response that never ends does not exhaust memory: the request fails, and the next one succeeds. */
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { Adapter, reply, request, startEndpoint } from './adapter.js';

const cases: [type: string, piece: Buffer][] = [
  ['application/json', Buffer.alloc(1 << 20, ' ')],
  ['text/event-stream', Buffer.from(`data: ${' '.repeat(1017)}\n`.repeat(1024))],
];

for (const [type, piece] of cases)
  t.test(type, async (t) => {
    let sent = 0;
    const write = (response: ServerResponse): void => {
      while (!response.destroyed && sent < 2 ** 30) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', () => write(response));
      }
    };
    const { url } = await startEndpoint(t, (received, response) => {
      if (received.body.includes('"list"')) reply(received, response);
      else write(response.writeHead(200, { 'Content-Type': type }));
    });
    const adapter = new Adapter(t, { SERVICE_MCP_URL: url }).send(request(1));
    const [first] = await adapter.answered(1);
    t.match(first, { id: 1, error: { code: -32603, message: /more than 268435456 bytes/ } });
    t.ok(sent < 2 ** 30, 'long before it ends');
    const [, second] = await adapter.send(request(2, 'list')).answered(2);
    t.match(second, { id: 2, result: { n: 2 } });
    t.equal(await adapter.end(), 0);
  });
