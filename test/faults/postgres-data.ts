/** Faults of what is in the database: locks, limits, rights, and objects that change under prepared statements. */
import type { Fault } from './fault.js';
import { repeatedly } from './postgres-sessions.js';
import { commitThenRaise, FORGET } from './requests.js';
import type { Site } from './site.js';

/** locked has another session lock the table of the writes until the fault ends. */
async function locked({ site }: { readonly site: Site }): Promise<{ recover: () => unknown }> {
  const session = await site.session();
  await session.query('BEGIN; LOCK TABLE written IN ACCESS EXCLUSIVE MODE');
  return { recover: () => session.end() };
}

/** undone runs a statement, and another one when the fault ends. */
function undone(name: string, begin: string, end: string): Fault {
  return {
    name,
    inject: async ({ site }) => {
      await site.sql(begin);
      return { recover: () => site.sql(end) };
    },
  };
}

export const DATA_FAULTS: readonly Fault[] = [
  { name: 'table locked, shorter than http.timeout', inject: locked, lasts: [200, 900] },
  { name: 'table locked, longer than http.timeout', inject: locked, lasts: [2_500, 3_500] },
  {
    name: 'read-only (default_transaction_read_only)',
    inject: async ({ site }) => ({
      recover: await site.setting({ default_transaction_read_only: 'on' }),
    }),
  },
  {
    name: 'no room for temporary files (temp_file_limit)',
    inject: async ({ site }) => ({
      recover: await site.setting({ temp_file_limit: '16kB', work_mem: '64kB' }),
    }),
  },
  {
    name: 'DEALLOCATE ALL by a function',
    requests: [FORGET],
    inject: () => Promise.resolve(undefined),
    lasts: [300, 600],
  },
  {
    name: 'column altered under prepared statements',
    inject: ({ site }) =>
      Promise.resolve(
        repeatedly(40, () =>
          site.sql(`DO $$ BEGIN EXECUTE 'ALTER TABLE item ALTER label TYPE ' ||
            CASE (SELECT data_type FROM information_schema.columns
                  WHERE table_name = 'item' AND column_name = 'label') WHEN 'text' THEN 'varchar' ELSE 'text' END; END $$`),
        ),
      ),
  },
  {
    name: 'function replaced by another one',
    inject: ({ site }) =>
      Promise.resolve(
        repeatedly(20, () =>
          site.sql(`DROP FUNCTION touch(bigint);
            CREATE FUNCTION touch(bigint) RETURNS bigint LANGUAGE sql AS
              $$ INSERT INTO written VALUES ($1, 'touch') RETURNING n $$`),
        ),
      ),
  },
  undone(
    'table renamed, then named back',
    'ALTER TABLE item RENAME TO gone',
    'ALTER TABLE gone RENAME TO item',
  ),
  undone(
    'privileges revoked, then granted again',
    'REVOKE SELECT ON item FROM app; REVOKE INSERT ON written FROM app',
    'GRANT SELECT ON item TO app; GRANT INSERT ON written TO app',
  ),
  {
    name: 'procedure that commits, then raises 26000',
    requests: [commitThenRaise('26000')],
    inject: () => Promise.resolve(undefined),
    lasts: [300, 600],
  },
  {
    name: 'procedure that commits, then raises 0A000',
    requests: [commitThenRaise('0A000')],
    inject: () => Promise.resolve(undefined),
    lasts: [300, 600],
  },
];
