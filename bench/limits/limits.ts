/**
 * The limits set by PostgreSQL, without HTTP: no server can be faster than pgbench with the same statements, and a server
 * without pipelining not faster than pgbench without a pipeline.
 */
import { availableParallelism } from 'node:os';
import type { Figures } from '../measure/figures.js';
import type { Setting } from '../measure/sample.js';
import { otherLoad, usage } from '../measure/usage.js';
import type { Database } from '../database.js';
import { onPath, output } from '../load/program.js';
import { fromProject } from '../project.js';

export interface Limit {
  readonly name: string;
  /** Names of its cases. */
  readonly cases: readonly string[];
  missing(): string | undefined;
  sample(database: Database, setting: Setting): Promise<Figures>;
}

const CLIENTS = 8;
/** Statements in the pipeline of limits/one-pipeline.sql. */
const DEPTH = 8;
/** Statements of the trial that estimates the number for a sample. */
const TRIAL = 20;

export const LIMITS: readonly Limit[] = [
  {
    name: 'pgbench',
    cases: ['one', 'page'],
    missing: () => missing('pgbench'),
    sample: (database, setting) => pgbench(database, setting, `${setting.case.name}.sql`, 1),
  },
  {
    name: 'pgbench-pipeline',
    cases: ['one'],
    missing: () => missing('pgbench'),
    sample: (database, setting) => pgbench(database, setting, 'one-pipeline.sql', DEPTH),
  },
  { name: 'psql', cases: ['megabyte'], missing: () => missing('psql'), sample: psql },
];

function missing(program: string): string | undefined {
  return onPath(program) ? undefined : `${program} is not on the PATH`;
}

/** pgbench runs a script with prepared statements on up to eight connections. */
async function pgbench(
  database: Database,
  { case: subject, connections, seconds, seed }: Setting,
  script: string,
  statements: number,
): Promise<Figures> {
  const clients = Math.min(CLIENTS, connections);
  const args = [
    ...['--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--time=${seconds}`],
    `--jobs=${Math.min(clients, availableParallelism())}`,
    `--random-seed=${seed}`,
    `--define=range=${subject.range}`,
    `--file=${fromProject(`bench/limits/${script}`)}`,
  ];
  const before = usage(undefined, database.pid);
  const printed = await output('pgbench', args, { env: libpqEnvironment(database) });
  const after = usage(undefined, database.pid);
  const rate = Number(/^tps = ([\d.]+)/m.exec(printed)?.[1]) * statements;
  const done = Number(/transactions actually processed: (\d+)/.exec(printed)?.[1]) * statements;
  if (!(rate > 0 && done > 0)) throw new Error(`pgbench printed no rate: ${printed.trim()}`);
  return {
    rate,
    databaseCpu: ((after.database - before.database) / done) * 1e6,
    errors: 0,
    otherLoad: otherLoad(before, after),
  };
}

/** psql repeats the statement of the 1 MB case on up to eight connections, and discards the rows. */
async function psql(
  database: Database,
  { case: subject, connections, seconds, seed }: Setting,
): Promise<Figures> {
  const clients = Math.min(CLIENTS, connections);
  const run = async (count: number): Promise<number> => {
    const lines = Array.from({ length: count }, (_, index) => {
      const from = ((seed + index * 37) % subject.range) + 1;
      return (
        'SELECT json_agg(s) FROM (SELECT id, body FROM documents ' +
        `WHERE id >= ${from} ORDER BY id LIMIT 100) s;\n`
      );
    });
    const args = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--output=/dev/null'];
    const options = { input: lines.join(''), env: libpqEnvironment(database) };
    const started = performance.now();
    await Promise.all(Array.from({ length: clients }, () => output('psql', args, options)));
    return (performance.now() - started) / 1000;
  };
  const count = Math.max(TRIAL, Math.round((seconds / (await run(TRIAL))) * TRIAL));
  const before = usage(undefined, database.pid);
  const took = await run(count);
  const after = usage(undefined, database.pid);
  return {
    rate: (count * clients) / took,
    databaseCpu: ((after.database - before.database) / (count * clients)) * 1e6,
    errors: 0,
    otherLoad: otherLoad(before, after),
  };
}

function libpqEnvironment({ host, port, user, password, database }: Database): NodeJS.ProcessEnv {
  return {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
  };
}
