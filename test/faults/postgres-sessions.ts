/** Faults of the sessions that the service has at PostgreSQL: killed, ended, cancelled, frozen, too slow. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Injected, Scene } from './fault.js';
import type { Site } from './site.js';

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // it has ended meanwhile
    }
}

async function pids(site: Site): Promise<number[]> {
  return (await site.backends()).map(({ pid }) => pid);
}

/** repeatedly does something again and again until the fault ends. */
export function repeatedly(every: number, act: () => Promise<unknown>): Injected {
  let running = true;
  const done = (async () => {
    while (running) {
      await act();
      await sleep(every);
    }
  })();
  return {
    recover: () => {
      running = false;
      return done;
    },
  };
}

/**
 * freezeIdle stops backends that wait for a statement, as the network or a hypervisor may: what is sent to them is
 * acknowledged and never answered. One that has a lock would stop PostgreSQL itself, which no client can mend.
 */
async function freezeIdle({ site }: Scene, most: number): Promise<Injected> {
  const frozen: number[] = [];
  const end = performance.now() + 2_000;
  while (performance.now() < end && frozen.length < most) {
    for (const { pid, state } of await site.backends()) {
      if (state !== 'idle' || frozen.includes(pid) || frozen.length === most) continue;
      signal([pid], 'SIGSTOP');
      await sleep(1);
      const now = (await site.backends()).find((backend) => backend.pid === pid);
      if (now?.state === 'idle' && stopped(pid)) frozen.push(pid);
      else signal([pid], 'SIGCONT');
    }
  }
  if (frozen.length === 0) throw new Error('no backend was idle');
  return {
    clear: () => {
      signal(frozen, 'SIGTERM');
      signal(frozen, 'SIGCONT');
    },
  };
}

function stopped(pid: number): boolean {
  try {
    return /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export const SESSION_FAULTS: readonly Fault[] = [
  {
    name: 'one backend killed (SIGKILL)',
    inject: async ({ site, random }) => signal([random.pick(await pids(site))], 'SIGKILL'),
  },
  {
    name: 'all backends killed (SIGKILL)',
    inject: async ({ site }) => signal(await pids(site), 'SIGKILL'),
  },
  {
    name: 'pg_terminate_backend of one session',
    inject: ({ site, random }) => site.terminate(random.next()),
  },
  { name: 'pg_terminate_backend of all sessions', inject: ({ site }) => site.terminate() },
  {
    name: 'pg_terminate_backend over and over',
    inject: ({ site, random }) =>
      Promise.resolve(repeatedly(30, () => site.terminate(random.next()))),
  },
  {
    name: 'pg_cancel_backend over and over',
    inject: ({ site }) =>
      Promise.resolve(
        repeatedly(5, () =>
          site.postgres.sql(
            `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'app' AND random() < 0.5`,
          ),
        ),
      ),
  },
  {
    name: 'all backends stopped, then continued',
    inject: async ({ site }) => {
      const all = await pids(site);
      signal(all, 'SIGSTOP');
      return { recover: () => signal(all, 'SIGCONT') };
    },
    lasts: [300, 3_000],
  },
  { name: 'one idle backend frozen for good', inject: (scene) => freezeIdle(scene, 1) },
  { name: 'all idle backends frozen for good', inject: (scene) => freezeIdle(scene, 8) },
  {
    name: 'idle_session_timeout of 20 ms',
    inject: async ({ site }) => ({ recover: await site.setting({ idle_session_timeout: '20ms' }) }),
  },
  {
    name: 'transaction_timeout of 25 ms',
    since: 17,
    // Of the role alone: a server-wide one would already end sessions of the campaign while they log in.
    inject: async ({ site }) => {
      await site.postgres.sql(`ALTER ROLE app SET transaction_timeout = '25ms'`);
      await site.terminate();
      return {
        recover: async () => {
          await site.postgres.sql('ALTER ROLE app RESET transaction_timeout');
          await site.terminate();
        },
      };
    },
  },
];
