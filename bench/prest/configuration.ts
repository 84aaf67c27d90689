/**
 * The configuration of pREST at its best: as many idle as open connections (by default it connects anew for every
 * request), prepared statements (which it calls a cache), json_agg as the others have it, and no cache of results. What
 * was a default in some of its versions only is set too.
 */
import type { Login } from '../database.js';

/** prestConfiguration is the text of prest.toml. */
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
