/** A request that its client cancels ends at the endpoint too, and gets no answer. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import t from 'tap';
import { Adapter, json, reply, request, startEndpoint, type Asked } from './adapter.js';

const cancel = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

t.test('requests under way', async (t) => {
  const slow: ServerResponse[] = [];
  const endpoint = await startEndpoint(t, (asked, response) => {
    if (asked.body.includes('slow')) slow.push(response);
    else reply(asked, response);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url });
  for (const [i, id] of [7, 0, '7', 'a"b'].entries()) {
    adapter.send(request(id, 'slow'));
    while (slow.length <= i) await once(endpoint.server, 'asked');
    const closed = once(slow[i]!, 'close');
    adapter.send(cancel(id));
    await closed;
    t.notOk(slow[i]!.writableFinished, `${JSON.stringify(id)}: the connection is closed`);
  }
  const notified = () => endpoint.asked.filter(({ body }) => body.includes('cancelled')).length;
  while (notified() < 4) await once(endpoint.server, 'asked');
  t.equal(notified(), 4, 'the endpoint is told, too');

  // The number 8 is not the text 8; what is not there cannot be cancelled, nor can what nobody understands.
  adapter.send(request(8, 'slow'));
  while (slow.length < 5) await once(endpoint.server, 'asked');
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

t.test('requests that wait for a place', async (t) => {
  const held: [Asked, ServerResponse][] = [];
  const endpoint = await startEndpoint(t, (asked, response) => void held.push([asked, response]));
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url });
  adapter.send(...Array.from({ length: 40 }, (_, id) => request(id)));
  while (held.length < 32) await once(endpoint.server, 'asked');
  adapter.send(cancel(35), cancel(3));
  const closed = adapter.end();
  for (;;) {
    for (const exchange of held.splice(0)) reply(...exchange);
    if (
      await Promise.race([
        closed.then(() => true),
        once(endpoint.server, 'asked').then(() => false),
      ])
    )
      break;
  }
  t.strictSame(
    adapter.messages.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, id) => id).filter((id) => id !== 35 && id !== 3),
  );
  t.notOk(
    endpoint.asked.some(({ body }) => body === request(35)),
    'it was never sent',
  );
});
