/** With `queries.proof` "warn" the service says once what is broken, and serves as before. */
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { startOwnPostgres, startPostgres } from '../support/postgres.js';
import { Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

const GOOD = 'SELECT 1 AS n';
const BROKEN = 'SELECT 1 AS n{{if isSet "x"}},{{end}}';
const FIXED = 'SELECT 2 AS n{{if isSet "x"}}, 3 AS m{{end}}';
const PROVED = 'the scripts were proved';
const scripts = { 'a/good.read.sql': GOOD, 'a/broken.read.sql': BROKEN };
const config = { 'http.processes': 2, 'pool.threads': 1, 'pg.maxopenconn': 6 };

/** niceOf lists the nice values of the threads of a process (proc(5)), without those that end meanwhile. */
function niceOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
    } catch (error) {
      // ESRCH when it ends between being opened and read.
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
      throw error;
    }
  });
}

t.test('a script that is broken when the service starts', async (t) => {
  const postgres = await startPostgres(t);
  const service = await startService(t, { database: postgres.url, scripts, config });
  await service.line(PROVED);
  const isWarning = ({ msg, level }: { msg: string; level?: unknown }): boolean =>
    level === 40 && msg.includes('the script is broken');
  t.match(service.lines.filter(isWarning), [
    { script: 'a/broken', verb: 'read', database: 'postgres', code: '42601', when: '`x` is sent' },
  ]);
  t.equal(await service.error('a/broken?x=1'), '500 42601');
  t.equal(await service.error('a/broken'), '200');
  t.same((await service.ask('/_ready')).json, { status: 'up', databases: { postgres: 'up' } });
  const nice = service.httpProcesses().map((pid) => niceOf(pid).filter((value) => value !== 0));
  t.same(nice.sort(), [[], [19]], 'one thread of one process');
  // Neither a process that starts later nor a reload says it again.
  const before = service.httpProcesses();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await until(() => service.httpProcesses().filter((pid) => !before.includes(pid)).length === 2);
  await service.line(PROVED, 2);
  service.signal('SIGHUP');
  await service.line('reloaded');
  await service.line(PROVED, 3);
  t.equal(service.lines.filter(isWarning).length, 1);
  service.script('a/broken.read.sql', FIXED);
  await service.line('the script is not broken any more');
  t.notOk(service.output.includes('SELECT'), 'the log has no SQL of scripts');
});

t.test('off: nothing is proved', async (t) => {
  const postgres = await startPostgres(t);
  const off = { ...config, 'queries.proof': 'off' };
  const service = await startService(t, { database: postgres.url, scripts, config: off });
  t.equal(await service.error('a/good'), '200');
  t.notOk(service.httpProcesses().some((pid) => niceOf(pid).includes(19)));
});

t.test('without a connection for it', async (t) => {
  const postgres = await startPostgres(t);
  const options = { database: postgres.url, scripts };
  const one = { 'http.processes': 1, 'pool.threads': 2, 'pg.maxopenconn': 3 };
  const service = await startService(t, { ...options, config: one });
  t.equal(await service.error('a/good'), '200');
  const said = service.lines.filter(({ msg }) => msg.includes('pg.maxopenconn'));
  t.match(said, [{ level: 40, msg: /queries\.proof: scripts are not proved/ }]);
  const refused = new Service(t, { ...options, config: { ...one, 'queries.proof': 'require' } });
  t.equal(await refused.exited, 1);
  t.match(refused.output, /queries\.proof: .*pg\.maxopenconn, 3 leaves none/);
});

t.test('/_ready waits for the first proof, and that for the database', async (t) => {
  const postgres = await startOwnPostgres(t);
  await postgres.kill();
  const waits = { ...config, 'health.ready_proof': true };
  const service = await startService(t, { database: postgres.url, scripts, config: waits });
  t.match(await service.ask('/_ready'), { status: 503, json: { proof: 'running' } });
  await postgres.restart();
  const ready = await until(async () => {
    const answer = await service.ask('/_ready');
    return answer.status === 200 && answer;
  });
  t.match(ready.json, { status: 'up', proof: 'complete' });
  await service.line(PROVED);
});
