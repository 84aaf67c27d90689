/** Which engine a database is, by the text of version(), and what is said about it. */
import t from 'tap';
import { engineOf } from '#app/base/engine.js';
import { checkDatabase } from '#app/postgres/lanes/database-check.js';
import { StatementFailure } from '#app/postgres/statement/queryable.js';
import { TestDatabase } from '../../support/database.js';
import { databaseSettings } from '../../support/http-process.js';
import {
  COCKROACHDB,
  startOtherEngine,
  YUGABYTEDB,
  type Rules,
} from '../../support/other-engine.js';
import { startPostgres } from '../../support/postgres.js';

const postgres = await startPostgres(t);

/** Text, libpq's number, version of Citus: title, whether it is a PostgreSQL inside, why it is not supported. */
const CASES: readonly (readonly [
  text: string,
  number: number,
  citus: string | null,
  title: string,
  isPostgres: boolean,
  unsupported?: RegExp,
])[] = [
  ['PostgreSQL 18.4 on x86_64-pc-linux-gnu', 180_004, null, 'PostgreSQL 18.4', true],
  ['PostgreSQL 12.1', 120_001, null, 'PostgreSQL 12.1', true, /^PostgreSQL 12.1 is not supported/],
  ['PostgreSQL 17.2 on x86', 170_002, '13.0-1', 'Citus 13.0-1 (PostgreSQL 17.2)', true],
  ['PostgreSQL 12.1', 120_001, '10.0-1', 'Citus 10.0-1 (PostgreSQL 12.1)', true, /not supported/],
  [
    'PostgreSQL 15.12-YB-2025.2.3.0-b1 on x86_64-pc-linux-gnu, compiled by clang version 17',
    150_012,
    null,
    'YugabyteDB 2025.2.3.0 (PostgreSQL 15.12)',
    false,
  ],
  [
    'PostgreSQL 11.2-YB-2024.2.0.0-b145 on x86_64-pc-linux-gnu',
    110_002,
    null,
    'YugabyteDB 2024.2.0.0 (PostgreSQL 11.2)',
    false,
  ],
  [
    'CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu, built 2025/06/16 12:00:00, go1.23.7)',
    130_000,
    null,
    'CockroachDB 25.2.1',
    false,
  ],
  [
    'CockroachDB OSS v26.3.0-alpha.1 (aarch64-apple-darwin, built 2026/08/01, go1.25)',
    180_000,
    null,
    'CockroachDB 26.3.0-alpha.1',
    false,
  ],
  ['', 0, null, 'PostgreSQL 0.0', true, /^PostgreSQL 0.0 is not supported/],
];

t.test('recognised by the text', (t) => {
  for (const [text, number, citus, title, isPostgres, unsupported] of CASES) {
    const engine = engineOf(text, number, citus);
    t.match(engine, { title, isPostgres, unsupported });
    t.equal(engine.lacks.length === 0, engine.name === 'PostgreSQL');
  }
  t.end();
});

t.test('asked once', async (t) => {
  const { database } = new TestDatabase(t, postgres);
  const [one, other] = await Promise.all([database.engine(), database.engine()]);
  t.equal(one, other);
  t.equal(await database.engine(), one);
  t.match(one, { name: 'PostgreSQL', version: /^18\./, lacks: [], unsupported: undefined });
});

t.test('asked again after a failure', async (t) => {
  let fails = true;
  const { database } = new TestDatabase(t, postgres);
  const queryWithin = database.queryWithin.bind(database);
  database.queryWithin = (limit, sql, ...rest) =>
    queryWithin(limit, fails ? 'SELECT 1 / 0' : sql, ...rest);
  await t.rejects(database.engine(), StatementFailure);
  fails = false;
  t.match(await database.engine(), { name: 'PostgreSQL' });
});

/** What a database is behind the rules. */
const MADE: Readonly<Record<string, readonly [rules: Rules, title: string]>> = {
  YugabyteDB: [YUGABYTEDB, 'YugabyteDB 2025.1.0.0'],
  CockroachDB: [COCKROACHDB, 'CockroachDB 25.2.1'],
};
for (const [name, [rules, title]] of Object.entries(MADE))
  t.test(`a PostgreSQL that calls itself ${name}`, async (t) => {
    const { database } = new TestDatabase(t, await startOtherEngine(t, postgres, rules));
    const engine = await database.engine();
    t.ok(engine.title.startsWith(title), engine.title);
    t.equal(engine.unsupported, undefined);
  });

t.test('settings that do not hold for the statement behind them', async (t) => {
  const rules: Rules = [[/pg_catalog\.set_config\('statement_timeout', \$1, true\)/, '$1::text']];
  const engine = await startOtherEngine(t, postgres, rules);
  const found = await checkDatabase(databaseSettings('main', engine));
  t.match(found, { ok: false, message: /neither their role nor their claims/ });
});
