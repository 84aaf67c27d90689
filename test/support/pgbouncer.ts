/** A PgBouncer in transaction mode before a test's PostgreSQL. It ends with the test, or with its process. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import type { OwnPostgres } from './postgres.js';
import { withDaemons as env } from './programs.js';

/** pgbouncerVersion is for instance [1, 18]; undefined when it is not installed. */
export function pgbouncerVersion(): [major: number, minor: number] | undefined {
  const { stdout, error } = spawnSync('pgbouncer', ['--version'], { env, encoding: 'utf8' });
  if (error !== undefined) return undefined;
  const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/m.exec(stdout) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

/** startPgbouncer starts one; whoever connects becomes `user`. `settings` are lines of its [pgbouncer] section. */
export async function startPgbouncer(
  t: Pick<Test, 'teardown'>,
  { host, port, dataDir }: OwnPostgres,
  user: { readonly name: string; readonly password: string },
  settings: readonly string[],
): Promise<{ readonly host: string; readonly port: number; readonly password: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  // It refuses to be root, as PostgreSQL does: both run as the same user.
  const { uid, gid } = statSync(dataDir);
  const own = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  const database = `host=${host} port=${port} dbname=postgres user=${user.name} password=${user.password}`;
  const lines = [
    '[databases]',
    `postgres = ${database}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'ignore_startup_parameters = options',
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  for (const each of [folder, file]) chownSync(each, uid, gid);
  const arguments_ = ['--pdeathsig', 'KILL', 'pgbouncer', file];
  const child = spawn('setpriv', arguments_, {
    uid,
    gid,
    env,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
    rmSync(folder, { recursive: true });
  });
  child.stderr.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (text: string) => {
      log += text;
      if (log.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PgBouncer ended:\n${log}`)));
  });
  return { host: '127.0.0.1', port: own, password: 'any' };
}
