/** Results of many megabytes arrive complete, however they were chunked, also if the client reads slowly. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Adapter, request, startEndpoint } from './adapter.js';

const text = 'é€🎈\u2028 '.repeat(650_000);

function bodyOf(id: unknown, result: unknown = { text }): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Writes a body in chunks that end inside characters. */
async function inPieces(response: ServerResponse, body: Buffer): Promise<void> {
  for (let start = 0; start < body.length; start += 65_537)
    if (!response.write(body.subarray(start, start + 65_537)))
      await new Promise((resolve) => response.once('drain', resolve));
  response.end();
}

t.test('8 MB in pieces', async (t) => {
  const { url } = await startEndpoint(t, ({ body }, response) => {
    void inPieces(response, bodyOf((JSON.parse(body) as { id: unknown }).id));
  });
  const ids = [1, 2, 3, 4];
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url }).send(...ids.map((id) => request(id)));
  t.equal(await adapter.end(), 0);
  t.ok(bodyOf(1).length > 8_000_000);
  t.strictSame(
    adapter.lines.toSorted(),
    ids.map((id) => bodyOf(id).toString()),
  );
});

t.test('a client that does not read', async (t) => {
  const part = text.slice(0, 100_000);
  const endpoint = await startEndpoint(t, ({ body }, response) => {
    response.end(bodyOf((JSON.parse(body) as { id: unknown }).id, { text: part }));
  });
  const ids = Array.from({ length: 100 }, (_, id) => id);
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url }, { read: false });
  adapter.send(...ids.map((id) => request(id)));
  await once(endpoint.server, 'received');
  let before = -1;
  while (before !== endpoint.received.length) {
    before = endpoint.received.length;
    await sleep(500);
  }
  t.ok(before < 70, `${before} of 100 were requested`);
  adapter.read();
  t.equal(await adapter.end(), 0);
  t.equal(adapter.lines.length, 100);
  t.ok(adapter.messages.every(({ result }) => result?.['text'] === part));
});
