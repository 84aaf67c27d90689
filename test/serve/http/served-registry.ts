/** An HTTP process with a registry that `ann` may use, over a test's PostgreSQL with its table, and requests as bytes. */
import type { Test } from 'tap';
import type { HttpProcessHandle } from '#app/serve/supervisor/http-process-handle.js';
import { ScriptsDdl } from '#app/stored/scripts/ddl.js';
import { TestDatabase } from '../../support/database.js';
import {
  databaseSettings,
  startHttpProcess,
  type HttpProcessOverrides,
} from '../../support/http-process.js';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { requestBytes, sendRaw, type RawAnswer } from '../../support/raw-http.js';
import { authSettings, userToken } from '../../support/tokens.js';

export const ADMIN = `Authorization: Bearer ${userToken('ann')}`;
export const OTHER = `Authorization: Bearer ${userToken('bob')}`;

const TABLE = { schema: 'public', table: 'service_queries' };

export interface ServedRegistry {
  readonly postgres: Postgres;
  readonly port: number;
  readonly process: HttpProcessHandle;
  /** Sends a request, `METHOD path`, the path below the registry, as the admin unless headers are given. */
  readonly send: (target: string, body?: string, headers?: readonly string[]) => Promise<RawAnswer>;
}

/** serveRegistry serves it, over a server of its own unless one is given. */
export async function serveRegistry(
  t: Test,
  overrides: HttpProcessOverrides = {},
  running?: Postgres,
): Promise<ServedRegistry> {
  const postgres = running ?? (await startPostgres(t));
  const { database } = new TestDatabase(t, postgres, { connections: 1 });
  await new ScriptsDdl(TABLE, database).make();
  const { worker, ...rest } = overrides;
  const { port, process } = await startHttpProcess(t, {
    auth: authSettings(),
    registry: { admins: ['ann'] },
    ...rest,
    worker: {
      databases: [databaseSettings('main', postgres), databaseSettings('other', postgres)],
      scriptsTable: TABLE,
      ...worker,
    },
  });
  const send: ServedRegistry['send'] = (target, body = '', headers = [ADMIN]) => {
    const [method = '', path = ''] = target.split(' ');
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const bytes = requestBytes(method, `/_QUERIES/registry${path}`, [...headers, ...length]);
    // Bytes are written as Latin-1: the texts of the tests are ASCII.
    return sendRaw(
      port,
      [bytes, body].filter((part) => part !== ''),
    );
  };
  return { postgres, port, process, send };
}
