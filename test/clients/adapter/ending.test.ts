/** The adapter ends at the end of input, on a signal, and when its output is closed. */
import { once } from 'node:events';
import t from 'tap';
import { Adapter, reply, request, startEndpoint } from './adapter.js';

t.test('end of input while requests are in flight', async (t) => {
  const endpoint = await startEndpoint(t, (received, response) => {
    setTimeout(() => reply(received, response), 500);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url });
  adapter.send(...Array.from({ length: 50 }, (_, id) => request(id)));
  t.equal(await adapter.end(), 0);
  t.equal(new Set(adapter.messages.map(({ id }) => id)).size, 50);
});

t.test('no input at all', async (t) => {
  const adapter = new Adapter(t, { SERVICE_MCP_URL: 'http://127.0.0.1:1' });
  t.equal(await adapter.end(), 0);
  t.strictSame([adapter.lines, adapter.stderr], [[], '']);
});

t.test('signals', async (t) => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const endpoint = await startEndpoint(t, () => undefined);
    const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url }).send(request(1));
    await once(endpoint.server, 'received');
    adapter.child.kill(signal);
    t.equal(await adapter.closed(), code, signal);
    t.strictSame([adapter.lines, adapter.stderr], [[], '']);
  }
});

t.test('standard output is closed', async (t) => {
  const endpoint = await startEndpoint(t, reply);
  const adapter = new Adapter(t, { SERVICE_MCP_URL: endpoint.url }, { read: false });
  adapter.child.stdout!.destroy();
  adapter.send(request(1));
  t.equal(await adapter.closed(), 0, 'its input is still open');
  t.equal(adapter.stderr, '');
});

t.test('standard error is closed', async (t) => {
  const adapter = new Adapter(t, { SERVICE_MCP_URL: 'http://127.0.0.1:1' });
  adapter.child.stderr!.destroy();
  adapter.send(request(1));
  await adapter.answered(1);
  adapter.send('no JSON');
  await adapter.answered(2);
  t.equal(await adapter.end(), 0);
});
