/**
 * /_health and /_ready show the last probe, the first one before the port is open, also while a database goes down and comes
 * up again.
 */
import t from 'tap';
import { startMute } from '../../support/black-hole.js';
import { databaseSettings, forkHttpProcess, startHttpProcess } from '../../support/http-process.js';
import { startOwnPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

interface Told {
  readonly status: number;
  readonly body: { readonly status: string; readonly databases: Record<string, string> };
  readonly retryAfter: string | null;
}

async function ask(port: number, path: string): Promise<Told> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const body = (await response.json()) as Told['body'];
  return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
}

/** Asks until the status is as wanted. */
function shown(port: number, path: string, status: number): Promise<Told> {
  return until(async () => {
    const told = await ask(port, path);
    return told.status === status && told;
  }, 50);
}

t.test('health', async (t) => {
  const postgres = await startOwnPostgres(t);
  const databases = [databaseSettings('main', postgres), databaseSettings('away')];
  const both = await startHttpProcess(t, { ready: ['main', 'away'], worker: { databases } });
  const mainOnly = await startHttpProcess(t, { ready: ['main'], worker: { databases } });

  const seen = { main: 'up', away: 'down' };
  t.match(await ask(both.port, '/_health'), {
    status: 200,
    body: { status: 'up', databases: seen },
  });
  t.match(await ask(both.port, '/_ready'), {
    status: 503,
    body: { status: 'down', databases: seen },
    retryAfter: '1',
  });
  t.match(await ask(mainOnly.port, '/_ready'), {
    status: 200,
    body: { status: 'up', databases: seen },
  });

  const head = await fetch(`http://127.0.0.1:${mainOnly.port}/_ready`, { method: 'HEAD' });
  t.equal(head.status, 200);
  t.ok(Number(head.headers.get('content-length')) > 0);
  t.equal(await head.text(), '');

  await postgres.kill();
  t.match(await shown(mainOnly.port, '/_health', 503), {
    status: 503,
    body: { status: 'down', databases: { main: 'down', away: 'down' } },
  });
  t.equal((await shown(mainOnly.port, '/_ready', 503)).status, 503);

  await postgres.restart();
  t.match(await shown(mainOnly.port, '/_ready', 200), { status: 200, body: { databases: seen } });
});

t.test('a database that hangs does not keep the port closed', async (t) => {
  const { port: mute } = await startMute(t);
  const hanging = databaseSettings('main', { host: '127.0.0.1', port: mute, password: 'none' });
  const { port } = await startHttpProcess(t, { worker: { databases: [hanging] } });
  t.match(await ask(port, '/_health'), { status: 503, body: { databases: { main: 'down' } } });
});

t.test('a start that is stopped while the first probe waits opens no port', async (t) => {
  const mute = await startMute(t);
  const hanging = databaseSettings('main', {
    host: '127.0.0.1',
    port: mute.port,
    password: 'none',
  });
  const process = forkHttpProcess(t, { worker: { databases: [hanging] } });
  await until(() => mute.taken > 0);
  process.drain();
  t.match(await process.exited, { code: 0 });
  await t.rejects(process.listening);
});
