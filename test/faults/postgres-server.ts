/** Faults of the PostgreSQL server: restarts, crashes, no place left for a session, another password, another name. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Fault, Scene } from './fault.js';
import { DATABASE, PASSWORD, type Site } from './site.js';

/** shutDown stops the server with a signal: SIGQUIT is an immediate shutdown, after which it recovers from its log. */
async function shutDown({ postgres }: Site, signal: NodeJS.Signals): Promise<void> {
  if (signal === 'SIGKILL') return postgres.kill();
  process.kill(postgres.pid, signal);
  while (postgres.running) await sleep(10);
}

function restart(name: string, signal: NodeJS.Signals): Fault {
  return {
    name,
    inject: async ({ site }) => {
      await shutDown(site, signal);
      return { recover: () => site.postgres.restart() };
    },
    lasts: [0, 700],
  };
}

/** exhaust takes every connection slot that ordinary users can have, those of the service too. */
async function exhaust({ site }: Scene): Promise<{ recover: () => Promise<void> }> {
  const taken: pg.Client[] = [];
  const fill = async (): Promise<void> => {
    for (;;)
      try {
        taken.push(await site.session('app'));
      } catch {
        return;
      }
  };
  await fill();
  for (let ended = true, i = 0; ended && i < 20; i++) {
    const rows = await site.postgres.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sql-rest-service'`,
    );
    ended = rows.length > 0;
    // Several at a time, to be there before the service is.
    await Promise.all(Array.from({ length: 8 }, fill));
  }
  return {
    recover: async () => {
      await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    },
  };
}

/** rename renames the database, which needs a moment in which nobody is connected to it. */
async function rename(site: Site, from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++)
    try {
      await site.postgres.sql(`ALTER DATABASE ${from} WITH ALLOW_CONNECTIONS false`);
      await site.postgres.sql(
        `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = '${from}'`,
      );
      await site.postgres.sql(`ALTER DATABASE ${from} RENAME TO ${to}`);
      await site.postgres.sql(`ALTER DATABASE ${to} WITH ALLOW_CONNECTIONS true`);
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(20);
    }
}

export const SERVER_FAULTS: readonly Fault[] = [
  restart('PostgreSQL restarted (fast)', 'SIGINT'),
  restart('PostgreSQL restarted (immediate)', 'SIGQUIT'),
  restart('postmaster killed, crash recovery', 'SIGKILL'),
  {
    name: 'postmaster stopped, sessions ended',
    inject: async ({ site }) => {
      // Before the signal there must be a session: a stopped postmaster begins none.
      const admin = await site.session();
      process.kill(site.postgres.pid, 'SIGSTOP');
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`,
      );
      return {
        recover: async () => {
          process.kill(site.postgres.pid, 'SIGCONT');
          await admin.end();
        },
      };
    },
  },
  { name: 'all connection slots taken by others', inject: exhaust },
  {
    name: 'password changed, sessions ended',
    inject: async ({ site }) => {
      await site.postgres.sql(`ALTER ROLE app PASSWORD 'another'`);
      await site.terminate();
      return { recover: () => site.postgres.sql(`ALTER ROLE app PASSWORD '${PASSWORD}'`) };
    },
  },
  {
    name: 'database renamed, then named back',
    inject: async ({ site }) => {
      await rename(site, DATABASE, 'elsewhere');
      return { recover: () => rename(site, 'elsewhere', DATABASE) };
    },
  },
];
