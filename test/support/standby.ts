/** A standby of a test's PostgreSQL: a copy of its data that follows it by streaming replication. */
import pg from 'pg';
import type { Test } from 'tap';
import { startOwnPostgres, type OwnPostgres } from './postgres.js';
import { until } from './until.js';

export interface StandbyOptions {
  /** Its application_name, for synchronous_standby_names. */
  readonly name?: string;
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** startStandby starts a standby, which is stopped when `t` ends. */
export async function startStandby(
  t: Pick<Test, 'teardown'>,
  primary: OwnPostgres,
  { settings = {}, name = 'standby' }: StandbyOptions = {},
): Promise<OwnPostgres> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    return await startOwnPostgres(t, {
      settings,
      copyOf: primary.dataDir,
      files: {
        'standby.signal': '',
        'postgresql.auto.conf': `primary_conninfo = '${conninfoOf(primary, name)}'\n`,
        backup_label: async () => {
          const { rows } = await client.query<{ labelfile: string }>(
            'SELECT labelfile FROM pg_backup_stop(false)',
          );
          return rows[0]!.labelfile;
        },
      },
    });
  } finally {
    await client.end();
  }
}

/** follow has a standby follow another primary. */
export async function follow(
  standby: OwnPostgres,
  primary: OwnPostgres,
  name = 'standby',
): Promise<void> {
  await standby.sql(`ALTER SYSTEM SET primary_conninfo = '${conninfoOf(primary, name)}'`);
  await standby.sql('SELECT pg_reload_conf()');
}

/** demote restarts a primary that was stopped cleanly, or is to be, as a standby of another one. */
export async function demote(server: OwnPostgres, primary: OwnPostgres): Promise<void> {
  await follow(server, primary);
  await server.sql(`COPY (SELECT) TO '${server.dataDir}/standby.signal'`);
  await server.restart();
}

/** promote makes a standby the primary. */
export async function promote(standby: OwnPostgres): Promise<void> {
  await standby.sql('SELECT pg_promote()');
}

/** replayed waits until a standby has replayed what the primary has written. */
export async function replayed(standby: OwnPostgres, primary: OwnPostgres): Promise<void> {
  const [row] = await primary.sql<{ at: string }>('SELECT pg_current_wal_flush_lsn()::text AS at');
  await until(async () => {
    const [done] = await standby.sql<{ done: boolean }>(
      `SELECT pg_last_wal_replay_lsn() >= '${row!.at}' AS done`,
    );
    return done!.done;
  });
}

function conninfoOf({ host, port, user, password }: OwnPostgres, name: string): string {
  return `host=${host} port=${port} user=${user} password=${password} application_name=${name}`;
}
