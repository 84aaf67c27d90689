/** `/metrics` on the service's own port, which a token opens; the same service's own address, and changes by a reload. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const TOKEN = 'scrape-me-0123456789';
const BEARER = { authorization: `Bearer ${TOKEN}` };

t.test('the own port', async (t) => {
  const { url: database } = await startPostgres(t);
  const config = { 'http.processes': 1, 'queries.proof': 'off' };
  const service = await startService(t, { database, config });
  t.equal(await service.error('/metrics', { headers: BEARER }), '404 not_found', 'without a token');
  service.configure({ ...config, 'metrics.token': TOKEN, 'metrics.listen': '127.0.0.1:0' });
  service.signal('SIGHUP');
  await service.line('reloaded');
  // Connections that are kept still lead to the old process.
  await until(async () => (await service.error('/metrics')) === '401 token_missing');
  const refused: [headers: Record<string, string>, error: string][] = [
    [{}, '401 token_missing'],
    [{ authorization: 'Bearer' }, '401 token_missing'],
    [{ authorization: `Bearer ${TOKEN}x` }, '401 invalid_token'],
    [{ authorization: `Basic ${TOKEN}` }, '401 invalid_token'],
    [{ authorization: `Bearer ${TOKEN.slice(1)}` }, '401 invalid_token'],
  ];
  for (const [headers, error] of refused)
    t.equal(await service.error('/metrics', { headers }), error);
  t.equal(
    await service.error('/metrics', { method: 'POST', headers: BEARER }),
    '405 method_not_allowed',
  );
  const { status, text, headers } = await service.ask('/metrics', { headers: BEARER });
  t.equal(status, 200);
  t.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.equal(headers.get('cache-control'), 'no-store');
  t.match(text, /^service_http_processes \d/m);
  t.match(text, /^service_reloads_total\{result="succeeded"\} 1$/m);
  const url = String((await service.line('serving metrics'))['url']);
  t.equal((await fetch(url)).status, 401, 'the token is needed there too');
  t.equal((await fetch(url, { headers: BEARER })).status, 200);
  service.configure(config);
  service.signal('SIGHUP');
  await service.line('reloaded', 2);
  await until(
    async () => (await service.error('/metrics', { headers: BEARER })) === '404 not_found',
  );
  await t.rejects(fetch(url), 'the address is closed');
  t.notMatch(service.output, TOKEN);
});

t.test('an address in use is the reason why the service does not start, or reload', async (t) => {
  const { url: database } = await startPostgres(t);
  const config = { 'http.processes': 1, 'queries.proof': 'off' };
  const service = await startService(t, { database, config });
  service.configure({ ...config, 'metrics.listen': `127.0.0.1:${service.port}` });
  service.signal('SIGHUP');
  const line = await service.line('not reloaded');
  t.match(line.msg, /metrics\.listen: port \d+ is already in use on 127\.0\.0\.1/);
  t.equal((await service.ask('/_health')).status, 200);
});
