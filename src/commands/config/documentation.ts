/**
 * docs/configuration.md, made from the table of keys that values are checked by.
 */
import type { Key } from './key.js';
import { SECURE_SECTIONS } from './keys-security.js';
import { KEYS, NAMES, variableOf, type KeyName } from './schema.js';
import type { TablesKind } from './tables.js';

const INTRODUCTION = `# Configuration

<!-- Made by \`npm run docs:configuration\` from src/commands/config; edit the tables of keys there. -->

Every setting is a key such as \`http.port\`. No key is required: without any configuration the service serves
\`./queries\` on port 3000 from the database \`postgres\` on this machine. \`sql-rest-service check\` verifies a
configuration without serving it.

## Sources of values

A key has the value from the first of these sources that sets it:

1. **The command line**: \`--http.port 8080\`, for all keys except secrets.
2. **The environment**: \`SERVICE_\` and the key in capitals with dots as underscores (\`SERVICE_HTTP_PORT\`). \`PORT\`
   (\`http.port\`) and \`DATABASE_URL\` (\`pg.url\`) take precedence over \`SERVICE_HTTP_PORT\` and \`SERVICE_PG_URL\`. An
   empty variable counts as not set. Further databases are pairs of variables: [several databases](#several-databases).
3. **The file**, in TOML: the file named by \`--config\`, otherwise by \`SERVICE_CONF\`, otherwise \`./service.toml\` if it
   exists.
4. **The defaults** below; those of a few keys differ in [development mode](development.md).

\`SERVICE_CONF\`, \`SERVICE_MCP_URL\` and \`SERVICE_MCP_TOKEN\` do not set keys. libpq's own variables (\`PGHOST\`,
\`PGSSLMODE\`, …) have no effect.

\`\`\`toml
[http]
port = 8080
timeout = "20s"

[pg]
host = "db.internal"
user = "api"
database = "shop"
maxopenconn = 20

[pg.ssl]
mode = "verify-full"
rootcert = "certs/ca.pem"

[queries]
location = "queries"
\`\`\`

The same with variables: \`SERVICE_HTTP_PORT=8080 SERVICE_HTTP_TIMEOUT=20s SERVICE_PG_HOST=db.internal …\`. Set the
password as \`SERVICE_PG_PASS\`, or everything at once as
\`DATABASE_URL='postgres://api:secret@db.internal/shop?sslmode=verify-full'\`.

SIGHUP reads the file again and starts new HTTP processes, while the old ones finish their requests. If the new
configuration is invalid, the errors are logged and the old one stays in use. The environment of a running service does
not change.

## Types of values

- **Durations** are seconds as a number (\`60\`, \`0.5\`) or a number with a unit: \`"500ms"\`, \`"60s"\`, \`"2m"\`,
  \`"1h"\`.
- **Sizes** are bytes as a number or a number with a unit: \`"64KiB"\`, \`"32MiB"\`, \`"1GiB"\`.
- **Paths** in the file, and default paths if there is a file, are relative to the file's folder; in the environment
  and on the command line, to the working directory.
- **Lists** are separated by commas in the environment: \`SERVICE_HEALTH_READY=shop,stock\`.
- **Booleans** are \`true\` and \`false\`, in the environment also \`1\` and \`0\`.
- Keys are case-insensitive. Lists of tables can be set in the file only.

## Several databases

The keys of \`pg\` configure the default database. Further databases are entries of \`[[databases]]\`, each with an alias
for paths (\`/_QUERIES/{alias}/{folder}/{script}\`):

\`\`\`toml
[[databases]]
alias = "stock"            # on the server of pg, the database "stock"

[[databases]]
alias = "archive"          # on another server
url = "postgres://reader@archive.internal/events?sslmode=verify-full"
pass = "…"
ssl.rootcert = "certs/archive-ca.pem"
maxopenconn = 4
\`\`\`

or pairs of environment variables with any number, \`DATABASE_ALIAS_1=archive\` and \`DATABASE_URL_1=postgres://…\`.

- An alias is 1-63 bytes of letters, digits, \`_\` and \`-\`. The name in \`pg.database\` is always an alias too; an entry with
  that name replaces it as the default database. While \`queries.register_enabled\` is on, \`registry\` cannot be an alias.
- An entry without \`url\` and \`host\` uses the server of \`pg\`, and its port, user and password as defaults. An entry with
  \`url\` or \`host\` uses the defaults below instead, so that the password of \`pg\` is never sent to another server. Without
  \`database\`, the database is named like the alias.
- TLS settings that neither the entry nor its URL contains are those of \`pg.ssl\`, each by itself, so that an entry
  is never less strict by omission. Time limits, \`pg.prepared\` and numbers of connections default to those of \`pg\` too.
- If the file and the environment have the same alias, the environment's URL selects the server, database and user. TLS
  settings and numbers of connections of the file's entry apply if the URL does not contain them.
- \`pg.replicas\` are the [replicas](scaling.md#replicas) of the server of \`pg\`, for all databases on it; an entry with its
  own server may have \`replicas\` of its own. What the URL of a replica does not contain is that of the database, also the
  user and the password, because a replica has the roles of its primary.
- Half a pair, or an alias that appears twice in one source, stops the start.

## Errors and warnings

- A file that is not TOML (the message has \`file:line:column\`), or a value of the wrong type or out of its range, stops
  the start. All errors are reported at once, with the key, the kind of value found and the allowed values, but never
  with the value of a secret.
- An unknown key causes a warning with the nearest known one. Under ${SECURE_SECTIONS.map((s) => `\`${s}\``).join(', ')} it stops the start,
  and so does an unknown key elsewhere that resembles one of these (\`[autth]\`), so that a typing error cannot disable a
  protection.
- \`http.processes\` × \`pool.threads\` must not exceed \`pg.maxopenconn\`, nor the \`maxopenconn\` of any entry of
  \`[[databases]]\`: every query worker needs a connection to each database. Connections are divided evenly, so their
  number should be a multiple of that product.
- Keys of pREST without effect in this service (cache, studio, otel, pg.cache, pg.single, migrations,
  pluginmiddlewarelist, version) are accepted, and one line of the log names them.

## Behind a connection pooler

The service sends \`statement_timeout\` and a few output settings as connection options. PgBouncer refuses these unless
its configuration has \`ignore_startup_parameters = options\`; statements are then limited by \`http.timeout\` only. Set
\`pg.prepared = false\` if a pooler in transaction mode does not support prepared statements (PgBouncer before 1.21).
`;

export function configurationDocument(): string {
  const parts = [INTRODUCTION, '## Keys\n'];
  const sections = new Map<string, KeyName[]>();
  for (const name of NAMES) {
    const dot = name.indexOf('.');
    const section = dot < 0 ? '' : name.slice(0, dot);
    sections.set(section, [...(sections.get(section) ?? []), name]);
  }
  for (const [section, names] of sections) {
    parts.push(`### ${section === '' ? 'Without a section' : `\`[${section}]\``}\n`);
    parts.push('| key | type | default | allowed | meaning |\n|---|---|---|---|---|');
    for (const name of names) parts.push(row(name, KEYS[name]));
    parts.push('');
    for (const name of names) {
      if (KEYS[name].kind.name === 'tables') parts.push(fieldsOf(name));
    }
  }
  return `${parts.join('\n').trimEnd()}\n`;
}

function row(name: KeyName, key: Key<unknown>): string {
  const notes = [
    key.meaning,
    key.alias === undefined ? '' : `Also written \`${key.alias}\`.`,
    key.secret
      ? `Secret: set it as \`${variableOf(name)}\` or in a file that others cannot read.`
      : '',
  ];
  const meaning = notes.filter((note) => note !== '').join(' ');
  return `| \`${name}\` | ${key.kind.name} | ${key.shown} | ${key.kind.allowed} | ${meaning} |`;
}

function fieldsOf(name: KeyName): string {
  const { fields } = KEYS[name].kind as TablesKind;
  const items = Object.entries(fields).map(
    ([field, { kind, required, meaning }]) =>
      `- \`${field}\`${required ? ' (required)' : ''}: ${kind.allowed}. ${meaning}`,
  );
  return `\`[[${name}]]\` has\n\n${items.join('\n')}\n`;
}
