/** With `queries.proof` "require" only what was found good is served: the newest good version of a script. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { live } from '../support/everywhere.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { ended } from '../support/process-group.js';
import { startService, type Service } from '../support/service.js';
import { SECRET, userToken } from '../support/tokens.js';
import { until } from '../support/until.js';

const version = (n: number, rest = ''): string => `SELECT ${n} AS v${rest}`;
/** Its first branch is good. */
const BROKEN = '{{if isSet "x"}},{{end}}';
const scripts = {
  'a/good.read.sql': version(1),
  'a/never.read.sql': version(1, BROKEN),
  'a/never.write.sql': version(1),
  'a/path.read.sql': `-- @path GET /things/{id}\n${version(1, ', {{sqlVal "id"}} AS id')}`,
};
const config = {
  'http.processes': 2,
  'pool.threads': 1,
  'pg.maxopenconn': 6,
  'queries.proof': 'require',
};

/** Waits until it is served everywhere. */
const serves = (service: Service, target: string, wanted: string): Promise<void> =>
  live(service.port, target.startsWith('/') ? target : `/_QUERIES/${target}`, wanted);

const answer = (n: number): string => `200 [{"v":${n}}]`;
const refused = (script: string): string =>
  `500 {"error":"script ${script} is broken, check your service logs","code":"script_not_proved"}`;

async function ready(service: Service): Promise<void> {
  await until(async () => (await service.ask('/_ready')).status === 200);
}

const postgres = await startPostgres(t);
const service = await startService(t, { database: postgres.url, scripts, config });
await ready(service);

t.test('what is served', async (t) => {
  await serves(service, 'a/good', answer(1));
  await serves(service, 'a/never', refused('a/never'));
  t.equal(await service.error('a/never', { method: 'POST' }), '200', 'each verb by itself');
  const allowed = await service.ask('a/never', { method: 'OPTIONS' });
  t.equal(allowed.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
  t.equal((await service.ask('a/never', { method: 'HEAD' })).status, 500);
  t.equal(await service.error('a/good', { method: 'POST' }), '405 method_not_allowed');
  t.equal(await service.error('a/none'), '404 script_not_found');
  t.same(await service.rows('/things/7'), [{ v: 1, id: '7' }]);
  t.equal(await service.error('/thing/7'), '404 not_found');

  service.script('a/never.read.sql', version(2));
  await serves(service, 'a/never', answer(2));
  service.script('a/new.read.sql', version(1));
  await serves(service, 'a/new', answer(1));
  rmSync(path.join(service.folder, 'queries/a/new.read.sql'));
  await until(async () => (await service.error('a/new')) === '404 script_not_found');
});

t.test('a broken version replaces no good one, whatever dies', async (t) => {
  const load = new Load(t, {
    port: service.port,
    clients: 8,
    anew: true,
    target: () => '/_QUERIES/a/good',
  });
  const isBroken = ({ msg, script }: { msg: string; script?: unknown }): boolean =>
    script === 'a/good' && msg.includes('the script is broken');
  service.script('a/good.read.sql', version(2, BROKEN));
  await service.line(isBroken);
  await load.more(50);
  t.same([...load.bodies], ['[{"v":1}]']);
  // A reload, with what is known.
  const old = service.httpProcesses();
  service.signal('SIGHUP');
  await service.line('reloaded');
  await ended(old);
  await load.more(50);
  await load.stop();
  t.same(load.failures, []);
  // The processes that replace those that died know it too.
  const before = service.httpProcesses();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await until(() => service.httpProcesses().filter((pid) => !before.includes(pid)).length === 2);
  await serves(service, 'a/good', answer(1));
  t.equal(service.lines.filter(isBroken).length, 1);
  service.script('a/good.read.sql', version(3));
  await serves(service, 'a/good', answer(3));
});

t.test('stored scripts go live once they are proved', async (t) => {
  const service = await startService(t, {
    database: postgres.url,
    config: {
      ...config,
      'queries.storage': 'database',
      'auth.enabled': true,
      'http.host': '127.0.0.1',
      'jwt.key': SECRET,
      'jwt.whitelist': ['/_QUERIES/a/.*'],
      'queries.register_enabled': true,
      'queries.register_admins': ['ann'],
    },
  });
  await ready(service);
  const put = async (text: string): Promise<number> => {
    const headers = { authorization: `Bearer ${userToken('ann')}` };
    const body = JSON.stringify({ read_sql: text });
    const target = '/_QUERIES/registry/a/stored';
    return (await service.ask(target, { method: 'PUT', headers, body })).status;
  };
  t.equal(await put(version(1, BROKEN)), 201);
  await serves(service, 'a/stored', refused('a/stored'));
  t.equal(await put(version(2)), 200);
  await serves(service, 'a/stored', answer(2));
  t.equal(await put(version(3, BROKEN)), 200);
  await service.line(({ msg, script }) => script === 'a/stored' && msg.includes('broken'), 2);
  await serves(service, 'a/stored', answer(2));
});
