/** An HTTP process with real workers, scripts of the test's own and a PostgreSQL server under it. */
import type { Test } from 'tap';
import type { HttpProcessHandle } from '#app/serve/supervisor/http-process-handle.js';
import {
  databaseSettings,
  startHttpProcess,
  type HttpProcessOverrides,
} from '../../support/http-process.js';
import { startPostgres, type Postgres } from '../../support/postgres.js';

export interface ServedDatabase {
  readonly postgres: Postgres;
  readonly port: number;
  readonly process: HttpProcessHandle;
  /** `/_QUERIES/t/NAME` with a query string. */
  readonly url: (name: string, query?: string) => string;
}

/** serveDatabase serves scripts, given as `NAME.SUFFIX` to SQL, from the folder `t`. */
export async function serveDatabase(
  t: Test,
  scripts: Readonly<Record<string, string>>,
  overrides: HttpProcessOverrides = {},
): Promise<ServedDatabase> {
  const folder = t.testdir({ t: { ...scripts } });
  const postgres = await startPostgres(t);
  const { worker, ...rest } = overrides;
  const { port, process } = await startHttpProcess(t, {
    ...rest,
    worker: { databases: [databaseSettings('main', postgres)], scripts: folder, ...worker },
  });
  const url = (name: string, query = ''): string =>
    `http://127.0.0.1:${port}/_QUERIES/t/${name}${query && `?${query}`}`;
  return { postgres, port, process, url };
}
