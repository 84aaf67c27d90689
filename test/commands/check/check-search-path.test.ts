/** Warnings of `check` about other roles that may create objects where scripts look up names. */
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t, {
  setup: `CREATE ROLE svc LOGIN PASSWORD 'a'; CREATE ROLE "odd role"; CREATE ROLE owner; CREATE ROLE root SUPERUSER;
    CREATE SCHEMA shop AUTHORIZATION owner; CREATE SCHEMA far; GRANT CREATE ON SCHEMA far TO PUBLIC;
    GRANT CREATE, USAGE ON SCHEMA shop TO svc, root`,
});
const folder = makeFolder(t);
const warnings = async (): Promise<readonly string[]> => {
  const { stdout } = await run(folder, ['check', '--json', '--mcp.enabled', 'false'], {
    DATABASE_URL: `postgres://svc:a@${server.host}:${server.port}/postgres`,
  });
  return (JSON.parse(stdout) as Report).warnings;
};

t.test('only owners, superusers and the user of the service', async (t) => {
  await server.sql('ALTER DATABASE postgres SET search_path = shop, public');
  t.strictSame(await warnings(), []);
});

t.test('grants to others', async (t) => {
  await server.sql(
    'GRANT CREATE ON SCHEMA shop TO "odd role"; GRANT CREATE ON SCHEMA public TO PUBLIC',
  );
  const taken =
    "where scripts look up names: its functions and operators can take the place of PostgreSQL's own";
  t.strictSame(await warnings(), [
    `database postgres: every role may create objects in schema public, ${taken} (REVOKE CREATE ON SCHEMA "public" FROM PUBLIC)`,
    `database postgres: the role "odd role" may create objects in schema shop, ${taken} (REVOKE CREATE ON SCHEMA "shop" FROM "odd role")`,
  ]);
});
