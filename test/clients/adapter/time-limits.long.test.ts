/** An endpoint that sends nothing is given up after --timeout; one that sends something now and then is not. */
import t from 'tap';
import { startDeaf, startMute } from '../../support/black-hole.js';
import { Adapter, reply, request, startEndpoint } from './adapter.js';

// They mostly wait.
t.jobs = 4;

t.test('an endpoint that takes connections and says nothing', { buffered: true }, async (t) => {
  const { port } = await startMute(t);
  const adapter = new Adapter(
    t,
    { SERVICE_MCP_URL: `http://127.0.0.1:${port}` },
    { args: ['--timeout', '1'] },
  );
  adapter.send(request(1), '{"jsonrpc":"2.0","method":"notifications/x"}');
  const [message] = await adapter.answered(1);
  t.equal(message!.id, 1);
  t.match(message!.error?.message, /said nothing for 1 s/);
  t.equal(await adapter.end(), 0);
  t.equal(adapter.lines.length, 1);
});

t.test(
  'an answer that stops in the middle, on a connection that was used before',
  { buffered: true },
  async (t) => {
    const { url } = await startEndpoint(t, (received, response) => {
      if (received.body === request(1)) reply(received, response);
      else response.write('{"jsonrpc":');
    });
    const adapter = new Adapter(t, { SERVICE_MCP_URL: url }, { args: ['--timeout', '3'] });
    await adapter.send(request(1)).answered(1);
    const [, message] = await adapter.send(request(2)).answered(2);
    t.match(message!.error?.message, /said nothing for 3 s/);
    t.equal(await adapter.end(), 0);
  },
);

t.test('an answer that takes its time', { buffered: true }, async (t) => {
  const { url } = await startEndpoint(t, (_, response) => {
    const pieces = [
      '{"jsonrpc"',
      ':"2.0",',
      '"id":1,',
      ...Array<string>(10).fill(' '),
      '"result"',
      ':{}}',
    ];
    const timer = setInterval(() => {
      response.write(pieces.shift());
      if (pieces.length === 0) {
        clearInterval(timer);
        response.end();
      }
    }, 300);
  });
  const adapter = new Adapter(t, { SERVICE_MCP_URL: url }, { args: ['--timeout=3'] });
  adapter.send(request(1));
  t.equal(await adapter.end(), 0);
  t.strictSame(adapter.messages[0]?.result, {});
});

t.test('an endpoint that takes no connection', { buffered: true }, async (t) => {
  const { port } = await startDeaf(t);
  const adapter = new Adapter(
    t,
    { SERVICE_MCP_URL: `http://127.0.0.1:${port}` },
    { args: ['--timeout', '1'] },
  );
  adapter.send(request(1));
  t.match((await adapter.answered(1))[0]!.error?.message, /takes no connection within 1 s/);
  t.equal(await adapter.end(), 0);
});
