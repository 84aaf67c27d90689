/** Roles for tests of identities: two users with rows of their own, and a login that is a member of both. */
import type { DatabaseSettings } from '#app/messages/database-settings.js';

/** ROLES is SQL; the login is not a member of `stranger`. */
export const ROLES = `
  CREATE ROLE ann NOLOGIN; CREATE ROLE bob NOLOGIN; CREATE ROLE stranger NOLOGIN;
  CREATE ROLE authenticator LOGIN NOINHERIT PASSWORD 'secret';
  GRANT ann, bob TO authenticator;
  CREATE TABLE notes (owner text DEFAULT current_user, tenant int, text text);
  ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
  GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO ann, bob;
  CREATE POLICY own ON notes USING (owner = current_user);
  CREATE TABLE bills (tenant int, text text);
  ALTER TABLE bills ENABLE ROW LEVEL SECURITY;
  GRANT SELECT, INSERT, UPDATE, DELETE ON bills TO ann, bob, authenticator;
  CREATE POLICY tenants ON bills
    USING (tenant = (current_setting('request.jwt.claims', true)::json ->> 'tenant')::int);
  CREATE SCHEMA ann AUTHORIZATION ann; CREATE SCHEMA bob AUTHORIZATION bob;
  CREATE TABLE ann.mine AS SELECT 'of ann' AS text; CREATE TABLE bob.mine AS SELECT 2 AS number, 'of bob' AS text;
  ALTER TABLE ann.mine OWNER TO ann; ALTER TABLE bob.mine OWNER TO bob;
  INSERT INTO notes VALUES ('ann', 1, 'by ann'), ('bob', 2, 'by bob'), ('stranger', 3, 'hidden');
  INSERT INTO bills VALUES (1, 'one'), (2, 'two'), (3, 'three')`;

/** asAuthenticator gives the settings for a connection of that login. */
export function asAuthenticator({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Pick<DatabaseSettings, 'conninfo'> {
  return {
    conninfo: `host=${host} port=${port} user=authenticator password=secret dbname=postgres connect_timeout=2 application_name=tested`,
  };
}
