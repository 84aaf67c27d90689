/** A table of scripts that pg_dump dumped by itself, restored by psql: without the function of its triggers, and its history. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { serverUser } from '#scripts/embedded-cluster.mjs';
import { freePort } from '#scripts/free-port.mjs';
import { environment } from '../support/process-group.js';
import { notInstalled } from '../support/programs.js';
import { spawnGroup } from '../support/spawn-group.js';
import { until } from '../support/until.js';
import { makeFolder, run } from './program.js';

const VERSIONS = '/usr/lib/postgresql';
const newest = existsSync(VERSIONS)
  ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))[0]
  : undefined;
const programs = path.join(VERSIONS, newest ?? '', 'bin');
const complete = ['initdb', 'pg_dump', 'psql'].every((one) => existsSync(path.join(programs, one)));

const options = { skip: complete ? false : notInstalled('postgresql') };
t.test('pg_dump -t, psql, check, migrate up queries', options, async (t) => {
  const { ids } = serverUser(() => undefined);
  const folder = mkdtempSync('/var/tmp/restored-');
  if (ids.uid !== undefined) chownSync(folder, ids.uid, ids.gid!);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const data = path.join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '--no-locale', '-E', 'UTF8'];
  const as = { ...ids, cwd: folder, env: environment(), stdio: 'ignore' } as const;
  execFileSync(path.join(programs, 'initdb'), initdb, as);
  const server = spawnGroup(
    t,
    [path.join(programs, 'postgres'), '-D', data, '-p', String(port), '-k', folder],
    as,
  );
  t.teardown(() => {
    server.kill('SIGQUIT');
    return new Promise((resolve) => server.once('close', resolve));
  });
  const url = (database: string): string =>
    `postgres://postgres@127.0.0.1:${port}/${database}?sslmode=disable`;
  const psql = (database: string, input: string, ...args: string[]): string =>
    execFileSync(path.join(programs, 'psql'), ['-XAtq', ...args, url(database)], {
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  await until(() => {
    try {
      return psql('postgres', 'SELECT 1') !== '';
    } catch {
      return false; // it starts
    }
  });
  psql('postgres', 'CREATE DATABASE restored');

  const work = makeFolder(t);
  const command = (database: string, ...args: string[]): ReturnType<typeof run> =>
    run(work, args, { DATABASE_URL: url(database), SERVICE_QUERIES_STORAGE: 'database' });
  t.match(await command('postgres', 'migrate', 'up', 'queries'), { code: 0 });
  const add = (name: string): string =>
    `INSERT INTO service_queries (database_alias, location, name, read_sql) VALUES ('', 'a', '${name}', 'SELECT 1');`;
  psql('postgres', add('one'));
  const dump = execFileSync(path.join(programs, 'pg_dump'), [
    '-t',
    'service_queries',
    url('postgres'),
  ]);
  psql('restored', String(dump));

  const warning = /warning: public\.service_queries: it has no triggers, .*migrate up queries/;
  const checked = await command('restored', 'check', '--no-prove');
  t.equal(checked.code, 0);
  t.match(checked.stdout, warning);
  t.match(checked.stdout, /service_queries ok: 1 scripts?/);
  t.match(await command('restored', 'migrate', 'up', 'queries'), { code: 0, stderr: '' });
  t.notMatch((await command('restored', 'check', '--no-prove')).stdout, warning);
  psql('restored', add('two'));
  t.equal(
    psql('restored', 'SELECT operation, name FROM service_queries_history ORDER BY version'),
    'found|one\ninsert|two\n',
  );
});
