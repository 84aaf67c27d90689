/** `npm start` with a database or a mistake of its user's: what it serves, what it says, and its exit status. */
import { once } from 'node:events';
import net from 'node:net';
import t from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import { startPostgres } from '../support/postgres.js';
import { ready, run } from './started.js';

t.setTimeout(300_000);
// They wait rather than work, and use no cluster.
t.jobs = 3;

t.test('a taken port: said, with what to do, and exit 1', { buffered: true }, async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  const start = run(t, { PORT: String(port) });
  t.equal(await start.exited, 1);
  t.match(start.output(), `port ${port} is taken`);
  t.match(start.output(), 'PORT=');
  t.notMatch(start.output(), /embedded PostgreSQL on/);
});

t.test(
  'with a database configured, that one is served and no other started',
  { buffered: true },
  async (t) => {
    const postgres = await startPostgres(t);
    const PORT = String(await freePort());
    const SERVICE_QUERIES_LOCATION = t.testdir({
      a: { 'b.read.sql': 'SELECT current_setting($$port$$) AS port' },
    });
    const start = run(t, { PORT, SERVICE_QUERIES_LOCATION, DATABASE_URL: postgres.url });
    const url = await ready(start);
    t.equal(new URL(url).pathname, '/_health');
    const answer = await (await fetch(new URL('/_QUERIES/a/b', url))).json();
    t.strictSame(answer, [{ port: String(postgres.port) }]);
    t.notMatch(start.output(), /embedded/i);
    t.match(start.output(), '"served":"development"');
    t.ok(start.output().includes(`the page: ${new URL('/', url).href}`));
    start.child.kill('SIGTERM');
    t.equal(await start.exited, 0);
  },
);

t.test(
  'an address that other machines can reach: without development mode',
  { buffered: true },
  async (t) => {
    const start = run(t, {
      PORT: String(await freePort()),
      SERVICE_HTTP_HOST: '0.0.0.0',
      SERVICE_QUERIES_LOCATION: t.testdir({ a: { 'b.read.sql': 'SELECT 1 AS n' } }),
      DATABASE_URL: 'postgres://u@127.0.0.1:1/d',
    });
    await ready(start);
    t.match(start.output(), 'http.host is 0.0.0.0');
    t.notMatch(start.output(), /"served":"development"|the page: /);
  },
);

t.test('a configuration that is wrong ends the start', { buffered: true }, async (t) => {
  const start = run(t, { PORT: 'many' });
  t.equal(await start.exited, 1);
  t.match(start.output(), /http\.port/);
});
