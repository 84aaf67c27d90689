/**
 * The database that real clients read in these tests, behind services that run as users start them: one that is open to
 * everybody, and one that wants a token, shows a few tables and hides a listing.
 */
import type { Test } from 'tap';
import { fileURLToPath } from 'node:url';
import { startPostgres, type Postgres } from '../../support/postgres.js';
import { startService, type Configuration } from '../../support/service.js';
import { SECRET } from '../../support/tokens.js';

/** Tables of the schema `bulk`, so many that their tools need several pages. */
export const BULK = 250;

/** Rows of the tables `notes` and `quotes`, and the text of each of the first: three megabytes, with characters of one to four bytes. */
export const NOTES = 100;
export const NOTE = 'aé€😀'.repeat(3_000);

/**
 * Characters of each row of the table `quotes`, which all have to be escaped: nearly what mcp.max_result allows, and an
 * answer three times that size, which is nearly what clients take from a program.
 */
export const QUOTES = 15_600;

/** The adapter, seen from dist-test/test/mcp/clients. */
export const ADAPTER = fileURLToPath(
  new URL('../../../../dist/clients/adapter/main.js', import.meta.url),
);

const TABLES = `
  CREATE TABLE orders (
    id int PRIMARY KEY, customer text NOT NULL, total numeric(10, 2), placed timestamptz, tags text[], detail jsonb
  );
  INSERT INTO orders SELECT n, 'customer ' || n, n * 1.25, NULL, '{a,b}', '{"gift": true}' FROM generate_series(1, 250) n;
  CREATE VIEW first_orders AS SELECT id, customer FROM orders WHERE id <= 3;
  CREATE TABLE "Odd ""name"".€" ("select" int, "a.b" text);
  INSERT INTO "Odd ""name"".€" VALUES (1, 'one');
  CREATE TABLE notes (id int PRIMARY KEY, body text);
  INSERT INTO notes SELECT n, '${NOTE}' FROM generate_series(1, ${NOTES}) n;
  CREATE VIEW doubled_notes AS SELECT id, body || body AS body FROM notes;
  CREATE TABLE quotes (id int PRIMARY KEY, body text);
  INSERT INTO quotes SELECT n, repeat('"', ${QUOTES}) FROM generate_series(1, ${NOTES}) n;
  CREATE SCHEMA bulk;
  DO $$ BEGIN FOR n IN 1..${BULK} LOOP EXECUTE format('CREATE TABLE bulk.t%s (id int)', n); END LOOP; END $$;
`;

const COMMON: Configuration = {
  'http.host': '127.0.0.1',
  'http.processes': 1,
  'pool.threads': 1,
  'mcp.max_tools': 1_000,
  'mcp.list_budget': 10_000_000,
  'mcp.max_result': '3MiB',
};

const GUARDED: Configuration = {
  ...COMMON,
  'auth.enabled': true,
  'jwt.key': SECRET,
  'expose.enabled': true,
  'expose.databases': false,
  'access.restrict': true,
  'access.tables': [{ name: 'orders', permissions: ['read'], fields: ['id', 'customer'] }],
};

/** startShop starts the database; it is stopped when `t` ends. */
export function startShop(t: Pick<Test, 'teardown'>): Promise<Postgres> {
  return startPostgres(t, { setup: TABLES });
}

/** openEndpoint starts a service for everybody and gives the endpoint's address. */
export async function openEndpoint(t: Pick<Test, 'teardown'>, shop: Postgres): Promise<string> {
  const { url } = await startService(t, { database: shop.url, config: COMMON });
  return `${url}/_mcp`;
}

/** guardedEndpoint starts a service that wants a token. */
export async function guardedEndpoint(t: Pick<Test, 'teardown'>, shop: Postgres): Promise<string> {
  const { url } = await startService(t, { database: shop.url, config: GUARDED });
  return `${url}/_mcp`;
}

/** adapterFor is how a client starts the adapter. */
export function adapterFor(
  url: string,
  token?: string,
): {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly stderr: 'ignore';
} {
  // The tests of clients name tools as the specification does; the adapter asks for plain names otherwise.
  const env: Record<string, string> = { SERVICE_MCP_URL: `${url}?names=dotted` };
  if (token !== undefined) env['SERVICE_MCP_TOKEN'] = token;
  return { command: process.execPath, args: [ADAPTER], env, stderr: 'ignore' };
}
