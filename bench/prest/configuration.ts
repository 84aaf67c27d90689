/**
 * The fastest configuration of pREST: as many idle as open connections (by default it opens one for every request), prepared
 * statements (`pg.cache`), json_agg as the other servers use it, and no cache of results. Defaults that differ between its
 * versions are set too.
 */
import type { Login } from '../database.js';

/** The text of prest.toml. */
export function prestConfiguration(
  { host, port, user, password, database }: Login,
  connections: number,
  queries: string,
  httpPort: number,
): string {
  const text = JSON.stringify;
  return `
debug = false

[http]
host = "127.0.0.1"
port = ${httpPort}

[pg]
host = ${text(host)}
port = ${port}
user = ${text(user)}
pass = ${text(password)}
database = ${text(database)}
single = true
cache = true
maxopenconn = ${connections}
maxidleconn = ${connections}

[pg.ssl]
mode = "disable"

[jwt]
default = false

[json.agg]
type = "json_agg"

[cache]
enabled = false

[access]
restrict = false

[queries]
location = ${text(queries)}
`;
}
