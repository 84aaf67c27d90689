/** Thousands of messages at once: none is lost or mixed up, few connections are opened, and memory is bounded. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Adapter, reply, request, startEndpoint, type ReceivedRequest } from './adapter.js';

const COUNT = 2_000;
const lines = Array.from({ length: COUNT }, (_, i) => request(i % 2 === 0 ? i : `id ${i}`));

t.test('requests', async (t) => {
  let most = 0;
  const endpoint = await startEndpoint(t, (received, response) => {
    most = Math.max(most, endpoint.sockets.size);
    // Answers come in another order than requests.
    setTimeout(() => reply(received, response), received.body.length % 7);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url }).send(...lines);
  t.equal(await adapter.end(), 0);
  const { messages } = adapter;
  t.equal(messages.length, COUNT);
  t.equal(new Set(messages.map(({ id }) => id)).size, COUNT);
  t.ok(
    messages.every(({ id, result }) => result?.['n'] === id),
    'each has its own answer',
  );
  t.ok(most <= 32, `connections: ${most}`);
  t.equal(adapter.stderr, '', 'and Node has nothing to warn of');
  const places = new Map(lines.map((line, i) => [line, i]));
  const sent = endpoint.received.map(({ body }) => places.get(body)!);
  t.ok(
    sent.every((place, i) => Math.abs(place - i) < 500),
    'first come, first sent',
  );
});

t.test('requests to an unreachable endpoint', async (t) => {
  const endpoint = await startEndpoint(t, reply);
  await endpoint.close();
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url }).send(...lines);
  t.equal(await adapter.end(), 0);
  t.equal(new Set(adapter.messages.map(({ id }) => id)).size, COUNT);
  t.ok(adapter.messages.every(({ error }) => error?.code === -32603));
});

t.test('input beyond the limit is not read', async (t) => {
  const held: [ReceivedRequest, Parameters<typeof reply>[1]][] = [];
  let open = false;
  const endpoint = await startEndpoint(t, (received, response) => {
    if (open) reply(received, response);
    else held.push([received, response]);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url });
  const { stdin } = adapter.child;
  const text = 'x'.repeat(1 << 20);
  for (let id = 0; id < 100; id++) stdin!.write(`${request(id, 'ping', { text })}\n`);
  while (held.length < 32) await once(endpoint.server, 'received');
  let left = -1;
  while (left !== stdin!.writableLength) {
    left = stdin!.writableLength;
    await sleep(500);
  }
  t.equal(held.length, 32);
  t.ok(left > 40 << 20, `${left >> 20} MiB wait outside`);
  open = true;
  for (const exchange of held) reply(...exchange);
  t.equal(await adapter.end(), 0);
  t.equal(new Set(adapter.messages.map(({ id }) => id)).size, 100);
});
