/** The access log: one line for each request, without anything from its query string, headers or body. */
import t from 'tap';
import { HeldRequest, requestBytes, sendRaw } from '../../support/raw-http.js';
import { startService } from '../supervisor/service.js';

const SECRET = 'x9secret9x';

t.test('access log', async (t) => {
  const { service, port } = await startService(t, {
    httpProcesses: 1,
    accessLog: true,
    worker: { log: { level: 'trace', pretty: false } },
  });
  const requests = (n: number) => service.line('request', n);

  await sendRaw(
    port,
    requestBytes(
      'POST',
      `/_QUERIES/other/a/b?x=${SECRET}`,
      [
        `Authorization: Bearer ${SECRET}`,
        `X-A: ${SECRET}`,
        'X-Request-Id: r-1',
        'Content-Length: 10',
      ],
      SECRET,
    ),
  );
  const { method, path, status, ms, requestId, httpProcess } = await requests(1);
  t.same(
    { method, path, status, requestId, httpProcess },
    { method: 'POST', path: '/_QUERIES/other/a/b', status: 400, requestId: 'r-1', httpProcess: 0 },
  );
  t.type(ms, 'number');

  await sendRaw(port, requestBytes('GET', `/a/?x=${SECRET}`));
  t.match(await requests(2), { path: '/a/', status: 301 });

  const held = await HeldRequest.begin(port);
  held.socket.destroy();
  t.match(await requests(3), { path: '/nope', status: 499 }, 'the client went away');

  t.notMatch(JSON.stringify(service.lines), SECRET);
});
