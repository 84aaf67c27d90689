/** Faults of the service's own processes, its log and its scripts, and of the machine. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#scripts/free-port.mjs';
import { spawnGroup } from '../support/spawn-group.js';
import type { Fault, Injected, Scene } from './fault.js';
import { repeatedly } from './postgres-sessions.js';
import { kindNamed } from './requests.js';
import type { Site } from './site.js';

// From dist-test/test/faults to the project.
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** Faults end their programs themselves; what is left of them ends with this process. */
const UNTIL_EXIT = { teardown: () => undefined };

/** reload sends SIGHUPs one after the other while the load goes on. */
async function reload({ service }: Site, times: number): Promise<void> {
  const before = service.lines.filter(({ msg }) => msg === 'reloaded').length;
  for (let i = 1; i <= times; i++) {
    service.signal('SIGHUP');
    await service.line(({ msg }) => msg === 'reloaded', before + i);
    await sleep(300);
  }
}

/** drain sends the load to a new service and ends the one before with SIGTERM. */
async function drain({ site }: Scene): Promise<void> {
  const before = await site.replace();
  before.signal('SIGTERM');
  const status = await before.exited;
  if (status !== 0) throw new Error(`the drained service ended with status ${status}`);
}

/**
 * withOutput sends the load to a second service, which logs every request to an output of which nothing is read, or in
 * which nothing can be written.
 */
async function withOutput({ site, load }: Scene, output: 'unread' | 'full'): Promise<Injected> {
  const port = await freePort();
  const full = output === 'full' ? openSync('/dev/full', 'w') : undefined;
  const flags = ['--http.port', String(port), '--log.access', 'true', '--pg.maxopenconn', '4'];
  const child = spawnGroup(UNTIL_EXIT, [process.execPath, MAIN, 'serve', ...flags], {
    cwd: site.service.folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', full ?? 'pipe', 'ignore'],
  });
  if (full !== undefined) closeSync(full);
  const before = site.port;
  await answers(child, port);
  site.port = port;
  load.move();
  return {
    recover: () => {
      child.stdout?.resume();
      site.ended ||= child.exitCode !== null || child.signalCode !== null;
    },
    clear: async () => {
      site.port = before;
      load.move();
      if (child.exitCode !== null || child.signalCode !== null) return;
      // Requests that are on their way to it are answered.
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const end = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 15_000);
      const [status] = (await ended) as [number | null];
      clearTimeout(end);
      if (status !== 0) throw new Error(`the drained service ended with status ${status}`);
    },
  };
}

/** answers waits until a service is ready, or has ended. */
async function answers(child: ChildProcess, port: number): Promise<void> {
  for (let i = 0; i < 200 && child.exitCode === null; i++) {
    const ready = await fetch(`http://127.0.0.1:${port}/_ready`).catch(() => undefined);
    if (ready?.status === 200) return;
    await sleep(50);
  }
  throw new Error('the service with another output has ended');
}

/** scriptFile is where a script of the mix lies. */
function scriptFile({ service }: Site, name: string): [file: string, text: string] {
  const [relative, text] = kindNamed(name).script;
  return [path.join(service.folder, 'queries', relative), text];
}

/** busy keeps the processors busy with four programs that do nothing else. */
function busy(): Injected {
  const programs = Array.from({ length: 4 }, () =>
    spawnGroup(UNTIL_EXIT, [process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return { recover: () => programs.forEach((program) => program.kill('SIGKILL')) };
}

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'one HTTP process killed (SIGKILL)',
    inject: ({ site, random }) => {
      process.kill(random.pick(site.service.httpProcesses()), 'SIGKILL');
      return Promise.resolve(undefined);
    },
    mayCut: true,
  },
  {
    name: 'all HTTP processes killed (SIGKILL)',
    inject: ({ site }) => {
      for (const pid of site.service.httpProcesses()) process.kill(pid, 'SIGKILL');
      return Promise.resolve(undefined);
    },
    mayCut: true,
  },
  {
    name: 'one HTTP process stopped, then continued',
    inject: ({ site, random }) => {
      const pid = random.pick(site.service.httpProcesses());
      process.kill(pid, 'SIGSTOP');
      return Promise.resolve({ recover: () => process.kill(pid, 'SIGCONT') });
    },
    lasts: [200, 1_200],
  },
  {
    name: 'ten reloads (SIGHUP)',
    inject: ({ site }) => reload(site, 10),
    times: 1,
    unnoticed: true,
  },
  { name: 'replaced, then drained (SIGTERM)', inject: drain, unnoticed: true },
  {
    name: 'standard output that is not read',
    inject: (scene) => withOutput(scene, 'unread'),
    lasts: [2_500, 3_000],
    times: 1,
    unnoticed: true,
  },
  {
    name: 'standard output on a full disk',
    inject: (scene) => withOutput(scene, 'full'),
    lasts: [2_500, 3_000],
    times: 1,
    unnoticed: true,
  },
  {
    name: 'scripts replaced, by rename',
    inject: ({ site }) => {
      const [file, text] = scriptFile(site, 'one');
      let revision = 0;
      const replace = (): Promise<void> => {
        writeFileSync(`${file}.new`, `${text} -- ${revision++}`);
        renameSync(`${file}.new`, file);
        return Promise.resolve();
      };
      return Promise.resolve(repeatedly(10, replace));
    },
    unnoticed: true,
  },
  {
    name: 'script truncated, then written again',
    inject: ({ site }) => {
      const [file, text] = scriptFile(site, 'one');
      truncateSync(file);
      return Promise.resolve({ recover: () => writeFileSync(file, text) });
    },
  },
  {
    name: 'script deleted, then written again',
    inject: ({ site }) => {
      const [file, text] = scriptFile(site, 'insert');
      rmSync(file);
      return Promise.resolve({ recover: () => writeFileSync(file, text) });
    },
  },
  {
    name: 'folder of scripts renamed, then named back',
    inject: ({ site }) => {
      const folder = path.dirname(scriptFile(site, 'one')[0]);
      renameSync(folder, `${folder}-gone`);
      return Promise.resolve({ recover: () => renameSync(`${folder}-gone`, folder) });
    },
  },
  {
    name: 'processors busy with other programs',
    inject: () => Promise.resolve(busy()),
    lasts: [800, 1_500],
    unnoticed: true,
  },
];
