/** The tables that pREST was seen to make and to drop, by command and at start, and what it imported into them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { makeFolder, run } from '../commands/program.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { compareOutcomes } from './recordings.js';
import { columnsOf, tablesOf } from './tables.js';

const postgres = await startPostgres(t);
const config = { 'queries.storage': 'database', 'queries.table': 'rec_queries' };
const scripts = { 'rec/one.read.sql': 'SELECT 1 AS a', 'rec/two.read.sql': 'SELECT 2 AS a' };

/** migrate runs a command and tells which tables there are then. */
async function migrate(t: Test, ...words: readonly string[]): Promise<string> {
  const folder = makeFolder(t);
  const keys = { ...config, 'auth.table': 'rec_users' };
  const toml = Object.entries(keys).map(([key, value]) => `${key} = "${value}"\n`);
  writeFileSync(path.join(folder, 'service.toml'), toml.join(''), { mode: 0o600 });
  const { code } = await run(folder, ['migrate', ...words], { DATABASE_URL: postgres.url });
  return `exit ${code}: ${await tablesOf(postgres)}`;
}

compareOutcomes(t, 'migrations', {
  'migrate up queries': (t) => migrate(t, 'up', 'queries'),
  'migrate up auth': (t) => migrate(t, 'up', 'auth'),
  'migrate down queries': (t) => migrate(t, 'down', 'queries'),
  'migrate down auth': (t) => migrate(t, 'down', 'auth'),
  'the scripts table that is made at start': async (t) => {
    await startService(t, { database: postgres.url, config, scripts });
    return columnsOf(postgres, 'rec_queries');
  },
  'scripts imported at start': async (t) => {
    await startService(t, { database: postgres.url, config, scripts });
    const [row] = await postgres.sql<{ imported: string }>(
      `SELECT count(*) || ' by ' || created_by AS imported FROM rec_queries GROUP BY created_by`,
    );
    return row!.imported;
  },
});
