/** A request that its client cancels is aborted at the endpoint too, and gets no response. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { Adapter, json, reply, request, startEndpoint, type ReceivedRequest } from './adapter.js';

const cancel = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

t.test('requests in flight', async (t) => {
  const slow: ServerResponse[] = [];
  const endpoint = await startEndpoint(t, (received, response) => {
    if (received.body.includes('slow')) slow.push(response);
    else reply(received, response);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url });
  for (const [i, id] of [7, 0, '7', 'a"b'].entries()) {
    adapter.send(request(id, 'slow'));
    while (slow.length <= i) await once(endpoint.server, 'received');
    const closed = once(slow[i]!, 'close');
    adapter.send(cancel(id));
    await closed;
    t.notOk(slow[i]!.writableFinished, `${JSON.stringify(id)}: the connection is closed`);
  }
  const notified = () => endpoint.received.filter(({ body }) => body.includes('cancelled')).length;
  while (notified() < 4) await once(endpoint.server, 'received');
  t.equal(notified(), 4, 'the endpoint is told, too');

  // The number 8 is not the text 8; unknown ids and malformed cancellations have no effect.
  adapter.send(request(8, 'slow'));
  while (slow.length < 5) await once(endpoint.server, 'received');
  adapter.send(cancel('8'), cancel(99), cancel(null), cancel({}), cancel(undefined), request(9));
  await adapter.answered(1);
  json(slow[4]!, 200, { jsonrpc: '2.0', id: 8, result: {} });
  t.strictSame(
    (await adapter.answered(2)).map(({ id }) => id),
    [9, 8],
  );

  adapter.send(cancel(8), request(8));
  t.equal(
    (await adapter.answered(3)).at(-1)!.id,
    8,
    'an id that was cancelled before is as good as new',
  );
  t.equal(await adapter.end(), 0);
  t.equal(adapter.lines.length, 3);
  t.equal(adapter.stderr, '');
});

t.test('queued requests', async (t) => {
  const held: [ReceivedRequest, ServerResponse][] = [];
  const endpoint = await startEndpoint(
    t,
    (received, response) => void held.push([received, response]),
  );
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url });
  adapter.send(...Array.from({ length: 40 }, (_, id) => request(id)));
  while (held.length < 32) await once(endpoint.server, 'received');
  adapter.send(cancel(35), cancel(3));
  const closed = adapter.end();
  for (;;) {
    for (const exchange of held.splice(0)) reply(...exchange);
    if (
      await Promise.race([
        closed.then(() => true),
        once(endpoint.server, 'received').then(() => false),
      ])
    )
      break;
  }
  t.strictSame(
    adapter.messages.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, id) => id).filter((id) => id !== 35 && id !== 3),
  );
  t.notOk(
    endpoint.received.some(({ body }) => body === request(35)),
    'it was never sent',
  );
});
