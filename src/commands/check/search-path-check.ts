/**
 * The warning of `check` about schemas in which scripts look names up and other roles may create objects: an operator or a
 * function there can take the place of PostgreSQL's own in a script, and runs with the rights of its caller.
 */
import { openSession } from '../../postgres/lanes/database.js';
import { asScriptsSee } from '../../postgres/statement/identity.js';
import { rowsOf, StatementFailure } from '../../postgres/statement/queryable.js';
import { identifier } from '../../base/quote.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import { printable } from '../line/printable.js';

/** Schemas, and roles with CREATE on them apart from their owner, superusers and the current user; NULL for PUBLIC. */
const CREATORS = `SELECT n.nspname, r.rolname
FROM pg_namespace n CROSS JOIN LATERAL aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE n.nspname = ANY (${asScriptsSee('pg_catalog.current_schemas(false)')}) AND a.privilege_type = 'CREATE'
  AND a.grantee <> n.nspowner AND (a.grantee = 0 OR NOT r.rolsuper AND r.rolname <> current_user)
ORDER BY n.nspname, r.rolname NULLS FIRST`;

/** searchPathWarnings resolves to the warnings about one database, which must be reachable. */
export async function searchPathWarnings(settings: DatabaseSettings): Promise<readonly string[]> {
  const database = openSession(settings);
  try {
    return (await rowsOf(database, CREATORS)).map(([schema, role]) => {
      const grantee = role == null ? 'PUBLIC' : identifier(role);
      const who = role == null ? 'every role' : `the role ${grantee}`;
      const revoke = `REVOKE CREATE ON SCHEMA ${identifier(schema!)} FROM ${grantee}`;
      return `database ${settings.alias}: ${printable(
        `${who} may create objects in schema ${schema!}, where scripts look up names: its functions and operators can take the place of PostgreSQL's own (${revoke})`,
      )}`;
    });
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    return [`database ${settings.alias}: its search path cannot be checked: ${error.reason}`];
  } finally {
    database.close();
  }
}
