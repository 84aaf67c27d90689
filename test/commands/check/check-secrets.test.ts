/** Warnings of `check` about relations with rows of the users table or the scripts table. */
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t, {
  setup: `
    CREATE TABLE person (login text, secret text); CREATE TABLE person_old () INHERITS (person);
    CREATE VIEW api_users AS SELECT login AS username, secret AS password FROM person;
    CREATE MATERIALIZED VIEW copied AS SELECT * FROM api_users;
    CREATE VIEW names AS SELECT login FROM person;
    CREATE TABLE service_queries (id int); CREATE VIEW latest AS SELECT max(id) FROM service_queries;
    CREATE TABLE service_queries_history (id int);
    CREATE MATERIALIZED VIEW "odd
name" AS SELECT * FROM service_queries_history;`,
});
const folder = makeFolder(t);

async function warnings(...args: string[]): Promise<readonly string[]> {
  const { code, stdout } = await run(folder, ['check', '--json', ...args], {
    DATABASE_URL: server.url,
    SERVICE_AUTH_TABLE: 'api_users',
  });
  t.equal(code, 0);
  return (JSON.parse(stdout) as Report).warnings;
}

t.test('relations with secret rows', async (t) => {
  const hidden = 'database postgres: MCP clients are not shown relations that hold rows of';
  const shown = 'database postgres: MCP clients are shown views that read';
  const unless = 'unless [access] or privileges prevent it';
  t.strictSame(await warnings(), [
    `${hidden} public.api_users or copies of them: public.copied, public.person, public.person_old`,
    `${shown} public.api_users, ${unless}: public.names`,
    `${shown} public.service_queries, ${unless}: public.latest`,
    `${hidden} public.service_queries_history or copies of them: public.odd\ufffdname`,
  ]);
  t.strictSame(await warnings('--mcp.enabled', 'false'), []);
});
