/**
 * docs/configuration.md, made from the table of keys, so that what is documented is what is checked.
 */
import type { Key } from './key.js';
import { SECURE_SECTIONS } from './keys-security.js';
import { KEYS, NAMES, variableOf, type KeyName } from './schema.js';
import type { TablesKind } from './tables.js';

const INTRODUCTION = `# Configuration

<!-- Made by \`npm run docs:configuration\` from src/config; edit the tables of keys there. -->

Every setting is a key such as \`http.port\`. Nothing has to be set: without any configuration the service serves
\`./queries\` on port 3000 from the database \`postgres\` on this machine. \`sql-rest-service check\` says what is wrong
with a configuration without serving it.

## Where values come from

In this order, the first one that sets a key wins:

1. **The command line**: \`--http.port 8080\`, any key that is not a secret.
2. **The environment**: \`SERVICE_\` and the key in capitals with dots as underscores (\`SERVICE_HTTP_PORT\`); \`PORT\`
   (\`http.port\`) and \`DATABASE_URL\` (\`pg.url\`), which win over \`SERVICE_HTTP_PORT\` and \`SERVICE_PG_URL\`. An
   empty variable counts as not set. More databases are pairs of variables: [several databases](#several-databases).
3. **The file**, in TOML: the one named by \`--config\`, else by \`SERVICE_CONF\`, else \`./service.toml\` when it is
   there.
4. **The defaults** below.

\`SERVICE_CONF\`, \`SERVICE_MCP_URL\` and \`SERVICE_MCP_TOKEN\` are no overrides. libpq's own variables (\`PGHOST\`,
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

The same with variables: \`SERVICE_HTTP_PORT=8080 SERVICE_HTTP_TIMEOUT=20s SERVICE_PG_HOST=db.internal …\`; the password
is best given as \`SERVICE_PG_PASS\`, or everything at once as
\`DATABASE_URL='postgres://api:secret@db.internal/shop?sslmode=verify-full'\`.

SIGHUP reads everything again and starts new front ends with it, then lets the old ones finish; a configuration with
a mistake in it is reported and the old one stays. The environment of a running service does not change.

## How values are written

- **Durations** are seconds as a number (\`60\`, \`0.5\`) or a number with a unit: \`"500ms"\`, \`"60s"\`, \`"2m"\`,
  \`"1h"\`.
- **Sizes** are bytes as a number or a number with a unit: \`"64KiB"\`, \`"32MiB"\`, \`"1GiB"\`.
- **Paths** in the file, and default paths when there is a file, are relative to the file's folder; in the environment
  and on the command line to the folder the service is started in.
- **Lists** are separated by commas in the environment: \`SERVICE_HEALTH_READY=shop,stock\`.
- **Booleans** are \`true\` and \`false\`, in the environment also \`1\` and \`0\`.
- Keys may be written in capitals or small letters. Lists of tables can be set in the file only.

## Several databases

The keys of \`pg\` name the default database. More of them are entries of \`[[databases]]\`, each with an alias that paths
begin with (\`/_QUERIES/{alias}/{folder}/{script}\`):

\`\`\`toml
[[databases]]
alias = "stock"            # on the server of pg, the database "stock"

[[databases]]
alias = "archive"          # on a server of its own
url = "postgres://reader@archive.internal/events?sslmode=verify-full"
pass = "…"
ssl.rootcert = "certs/archive-ca.pem"
maxopenconn = 4
\`\`\`

or pairs of environment variables with any number, \`DATABASE_ALIAS_1=archive\` and \`DATABASE_URL_1=postgres://…\`.

- An alias is 1-63 bytes of letters, digits, \`_\` and \`-\`. The name in \`pg.database\` is always one too; an entry of that
  name takes its place as the default database. While \`queries.register_enabled\` is on, none can be \`registry\`.
- An entry without \`url\` and \`host\` is on the server of \`pg\`, with its port, user and password where it does not say
  otherwise. One that has either of them takes none of these from \`pg\`, but the defaults of the keys below: no other
  server is sent the password of that one. Without \`database\` the database has the name of the alias.
- TLS is as the keys of \`pg.ssl\` say wherever the entry or its URL does not, member by member, so that an entry is never
  less strict by saying nothing. Times, \`pg.prepared\` and numbers of connections are those of \`pg\` likewise.
- Where file and environment have the same alias, the URL of the environment says which database it is, and as whom; TLS
  and numbers of connections of the file's entry stay where the URL does not name them.
- Half a pair, or an alias twice in one place, stops the start.

## What is refused

- A file that is not TOML (the message has \`file:line:column\`), or a value of the wrong type or out of its range, stops
  the start. All problems are reported at once, with the key, what was found and what is allowed, never with the value
  of a secret.
- An unknown key gets a warning with the nearest known one. Under ${SECURE_SECTIONS.map((s) => `\`${s}\``).join(', ')} it stops the start,
  and so does one elsewhere that looks like a slip of a key there (\`[autth]\`), because a protection that was asked for
  must not be missing.
- \`http.processes\` × \`pool.threads\` may not be more than \`pg.maxopenconn\`, nor than the \`maxopenconn\` of
  any entry of \`[[databases]]\`: every query thread needs a connection to each database.
  Connections are shared out evenly, so they are best a multiple of that product.
- Keys of pREST for things this service does not do (cache, studio, otel, pg.cache, migrations, pluginmiddlewarelist,
  version) are accepted and named in one line of the log.

## Behind a connection pooler

The service sends \`statement_timeout\` and a few settings of output formats as connection options. PgBouncer refuses
these unless its configuration has \`ignore_startup_parameters = options\`; statements are then limited by
\`http.timeout\` alone. Set \`pg.prepared = false\` where a pooler in transaction mode does not keep prepared statements
(PgBouncer before 1.21).
`;

/** configurationDocument writes docs/configuration.md. */
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
