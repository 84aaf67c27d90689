/** The table of scripts, made and dropped with what belongs to it; tables that are there, and rights that are not. */
import t from 'tap';
import { nameOf } from '#app/stored/scripts/table-names.js';
import { startPostgres } from '../../support/postgres.js';
import { fails } from '../users/tables.js';
import { AS_PREST_MAKES_IT, keyOf, placeOf } from '../registry/place.js';

const server = await startPostgres(t);
const MADE = { made: true, unusable: undefined, unwatched: undefined };
const FOUND = { ...MADE, made: false };

const belongings = async (): Promise<string[]> =>
  (
    await server.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       UNION ALL SELECT proname || '()' FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL SELECT tgname || ' on ' || tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal
       ORDER BY 1`,
    )
  ).map(({ name }) => name);

t.test('made once, dropped whole', async (t) => {
  const { ddl, records } = placeOf(t, server);
  t.notOk(await ddl.exists());
  t.equal(await ddl.unusable(), 'it is not there; sql-rest-service migrate up queries makes it');
  t.strictSame(await ddl.make(), MADE);
  t.strictSame(await belongings(), [
    'service_queries',
    'service_queries_changed on service_queries',
    'service_queries_changed()',
    'service_queries_history',
    'service_queries_proofs',
    'service_queries_truncated on service_queries',
  ]);
  t.ok(await ddl.exists());
  t.equal(await ddl.unusable(), undefined);
  t.equal(await ddl.unwatched(), undefined);
  t.ok(await ddl.isEmpty());
  await records.put(keyOf('a/b'), { read_sql: 'SELECT 1' }, 'ann');
  t.notOk(await ddl.isEmpty());
  t.strictSame(await ddl.make(), FOUND);
  t.equal((await records.history(keyOf('a/b')))!.length, 1, 'nothing is recorded twice');
  await ddl.drop();
  t.strictSame(await belongings(), []);
  await fails(t, ddl.drop(), { state: '42P01' });
});

t.test('without its triggers, and without their function', async (t) => {
  const { ddl, records } = placeOf(t, server);
  await ddl.make();
  for (const lost of [
    'DROP TRIGGER service_queries_truncated ON service_queries',
    'DROP FUNCTION service_queries_changed() CASCADE',
  ]) {
    await server.sql(lost);
    t.match(await ddl.unwatched(), /no triggers.*migrate up queries makes them/, lost);
    t.strictSame(await ddl.make(), FOUND);
    t.equal(await ddl.unwatched(), undefined);
  }
  await records.put(keyOf('a/b'), { read_sql: 'SELECT 1' }, 'ann');
  t.equal((await records.history(keyOf('a/b')))!.length, 1);
  await ddl.drop();
});

t.test('by eight at once', async (t) => {
  const eight = Array.from({ length: 8 }, () => placeOf(t, server, { table: 'race' }).ddl);
  await Promise.all(eight.map((ddl) => ddl.exists())); // all are connected
  const results = await Promise.all(eight.map((ddl) => ddl.make()));
  for (const result of results) t.match(result, { unusable: undefined, unwatched: undefined });
  t.ok(results.some(({ made }) => made));
  await eight[0]!.drop();
  t.strictSame(await belongings(), []);
});

t.test('names that leave no room for more', async (t) => {
  const long = `ü${'n'.repeat(60)}x`;
  const other = `ü${'n'.repeat(60)}y`;
  t.equal(nameOf('short', '_history'), 'short_history');
  for (const suffix of ['_history', '_changed', '_truncated']) {
    t.not(nameOf(long, suffix), nameOf(other, suffix));
    t.ok(Buffer.byteLength(nameOf(long, suffix)) <= 63);
    t.ok(nameOf('ü'.repeat(31), suffix).isWellFormed());
  }
  for (const table of [long, other]) {
    const { ddl, records } = placeOf(t, server, { table });
    t.strictSame(await ddl.make(), MADE);
    t.strictSame(await ddl.make(), FOUND);
    await records.put(keyOf('a/b'), {}, 'ann');
    t.equal((await records.history(keyOf('a/b')))!.length, 1);
  }
  for (const table of [long, other]) await placeOf(t, server, { table }).ddl.drop();
  t.strictSame(await belongings(), []);
});

t.test('tables that are there', async (t) => {
  const columns = (table: string): Promise<object[]> =>
    server.sql('SELECT * FROM information_schema.columns WHERE table_name = $1', [table]);

  await t.test('one of pREST, with scripts', async (t) => {
    await server.sql(AS_PREST_MAKES_IT.replaceAll('%', 'theirs'));
    await server.sql(
      "INSERT INTO theirs (location, name, read_sql) VALUES ('a', 'b', '1'), ('a', 'c', '2')",
    );
    const before = await columns('theirs');
    const { ddl, records } = placeOf(t, server, { table: 'theirs' });
    t.strictSame(await ddl.make(), FOUND);
    t.strictSame(await ddl.make(), FOUND);
    t.strictSame(await columns('theirs'), before);
    t.match(await records.history(keyOf('a/b')), [
      { version: 1, operation: 'found', read_sql: '1', changed_by: 'postgres' },
    ]);
    await server.sql('DROP TRIGGER theirs_changed ON theirs');
    await server.sql("UPDATE theirs SET read_sql = '3' WHERE name = 'c'");
    t.strictSame(await ddl.make(), FOUND);
    t.match(
      (await records.history(keyOf('a/c')))!.map(({ operation, read_sql }) => [
        operation,
        read_sql,
      ]),
      [
        ['found', '3'],
        ['found', '2'],
      ],
      'what was not seen is found',
    );
    t.equal((await records.history(keyOf('a/b')))!.length, 1);
    await server.sql(`ALTER TABLE theirs DISABLE TRIGGER USER;
      INSERT INTO theirs (location, name, read_sql) SELECT 'many', i::text, 'x' FROM generate_series(1, 20000) i`);
    for (const found of [20_000, 0]) {
      const before = await server.sql('SELECT FROM theirs_history');
      await server.sql('DROP TRIGGER theirs_changed ON theirs');
      t.strictSame(await ddl.make(), FOUND, 'as many as there may be');
      const after = await server.sql('SELECT FROM theirs_history');
      t.equal(after.length - before.length, found);
    }
    await ddl.drop();
  });

  await t.test('that hold something else', async (t) => {
    const cases: [definition: string, unusable: string][] = [
      ['(id int)', 'it has no column database_alias, location, name, read_sql, write_sql,'],
      [
        `(LIKE shape INCLUDING ALL); ALTER TABLE other DROP COLUMN description`,
        'it has no column description',
      ],
      ['(LIKE shape)', 'nothing makes database_alias, location, name unique in it'],
      [
        "(LIKE shape); CREATE UNIQUE INDEX ON other (database_alias, location, name) WHERE name <> ''",
        'nothing makes database_alias, location, name unique in it',
      ],
      [
        '(LIKE shape); CREATE UNIQUE INDEX ON other (location, name)',
        'nothing makes database_alias, location, name unique in it',
      ],
    ];
    await server.sql(AS_PREST_MAKES_IT.replaceAll('%', 'shape'));
    const { ddl } = placeOf(t, server, { table: 'other' });
    for (const [definition, unusable] of cases) {
      await server.sql(`CREATE TABLE other ${definition}`);
      const before = [...(await columns('other')), ...(await belongings())];
      const made = await ddl.make();
      t.match(made, { made: false, unwatched: undefined });
      t.match(made.unusable, unusable);
      t.equal(await ddl.unusable(), made.unusable);
      t.strictSame([...(await columns('other')), ...(await belongings())], before);
      await server.sql('DROP TABLE other');
    }
    await server.sql(
      'CREATE TABLE other (LIKE shape); CREATE UNIQUE INDEX ON other (name, database_alias, location) INCLUDE (id)',
    );
    t.strictSame(await ddl.make(), FOUND);
    await ddl.drop();
    await server.sql('DROP TABLE shape');
    t.strictSame(await belongings(), []);
  });

  await t.test('another table with the name of the history', async (t) => {
    await server.sql('CREATE TABLE mine_history (at text)');
    const { ddl, records } = placeOf(t, server, { table: 'mine' });
    t.match(await ddl.make(), {
      made: true,
      unwatched: /^relation … already exists \(42P07\)$/,
    });
    await records.put(keyOf('a/b'), {}, 'ann');
    t.equal(await records.history(keyOf('a/b')), undefined);
    await ddl.drop();
    t.strictSame(await belongings(), ['mine_history'], 'it is not dropped');
    await server.sql('DROP TABLE mine_history');
  });
});

t.test('rights', async (t) => {
  await server.sql(`CREATE ROLE poor LOGIN PASSWORD 'poor'; CREATE SCHEMA closed;
    REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
  const poor = 'user=poor password=poor';
  const standby = "options='-c default_transaction_read_only=on'";
  const refused = (named: object, more: string, wanted: object): Promise<void> =>
    fails(t, placeOf(t, server, named, more).ddl.make(), wanted);
  await refused({ schema: 'nowhere' }, '', { state: '3F000', passing: false });
  await refused({ schema: 'closed' }, poor, { state: '42501', passing: false });
  await refused({}, poor, { state: '42501', passing: false });
  await refused({}, standby, { state: '25006', passing: true });

  await t.test('to write scripts, but to make nothing', async (t) => {
    await server.sql(AS_PREST_MAKES_IT.replaceAll('%', 'given'));
    await server.sql(`GRANT SELECT, INSERT, UPDATE, DELETE ON given TO poor;
      GRANT USAGE ON SEQUENCE given_id_seq TO poor`);
    const { ddl, records } = placeOf(t, server, { table: 'given' }, poor);
    t.match(await ddl.make(), {
      made: false,
      unusable: undefined,
      unwatched: /^permission denied for schema public \(42501\)$/,
    });
    t.match(await records.put(keyOf('a/b'), { read_sql: '1' }, 'ann'), { created: true });
    t.equal(await records.history(keyOf('a/b')), undefined);
  });

  await t.test('to write scripts whose history has another owner', async (t) => {
    const own = placeOf(t, server, { table: 'given' });
    t.strictSame(await own.ddl.make(), FOUND);
    const { ddl, records } = placeOf(t, server, { table: 'given' }, poor);
    t.strictSame(await ddl.make(), FOUND, 'there is nothing to be made');
    await records.put(keyOf('a/b'), { read_sql: '2' }, 'ann');
    t.match(await own.records.history(keyOf('a/b')), [
      { operation: 'update', read_sql: '2', changed_by: 'ann' },
      { operation: 'found', read_sql: '1', changed_by: 'postgres' },
    ]);
    await fails(t, records.history(keyOf('a/b')), { state: '42501' });
    await server.sql('GRANT CREATE ON SCHEMA public TO poor');
    await server.sql('CREATE TABLE poors (); ALTER TABLE poors OWNER TO poor');
    const theirs =
      'CREATE TRIGGER t AFTER INSERT ON poors FOR EACH ROW EXECUTE FUNCTION given_changed()';
    await t.rejects(server.sql(`SET ROLE poor; ${theirs}`), /permission denied for function/);
  });
});

t.test('objects of another owner', async (t) => {
  await server.sql(`CREATE ROLE mallory LOGIN PASSWORD 'mallory'; CREATE SCHEMA shared;
    GRANT CREATE, USAGE ON SCHEMA shared TO mallory`);
  const asMallory = async (sql: string): Promise<void> => {
    await server.sql(`SET ROLE mallory; ${sql}`);
  };
  const trap = `RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE mallory SUPERUSER; RETURN NEW; END $$`;
  const place = placeOf(t, server, { schema: 'shared' });
  const history = await (async () => {
    await place.ddl.make();
    const [row] = await server.sql<{ columns: string }>(
      `SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) AS columns
       FROM pg_attribute WHERE attrelid = 'shared.service_queries_history'::regclass AND attnum > 0`,
    );
    await place.ddl.drop();
    return row!.columns;
  })();
  const cases: [what: string, sql: string, undo: string][] = [
    [
      'a function',
      `CREATE FUNCTION shared.service_queries_changed() ${trap}`,
      'DROP FUNCTION shared.service_queries_changed()',
    ],
    [
      'a history',
      `CREATE TABLE shared.service_queries_history (${history});
       CREATE FUNCTION shared.trap() ${trap};
       CREATE TRIGGER trap BEFORE INSERT ON shared.service_queries_history
         FOR EACH ROW EXECUTE FUNCTION shared.trap()`,
      'DROP TABLE shared.service_queries_history',
    ],
  ];
  for (const [what, sql, undo] of cases) {
    await asMallory(sql);
    const { made, unusable, unwatched } = await place.ddl.make();
    t.strictSame({ made, unusable }, { made: true, unusable: undefined }, what);
    t.match(unwatched, /belongs to somebody else$/, what);
    await place.records.put(keyOf('a/b'), { read_sql: '1' }, 'ann');
    t.match((await place.ddl.make()).unwatched, /belongs to somebody else$/, 'nor later');
    await server.sql(undo);
    t.strictSame(await place.ddl.make(), FOUND, 'made once it is gone');
    t.equal((await place.records.history(keyOf('a/b')))!.length, 1);
    await place.ddl.drop();
  }
  t.strictSame(
    await server.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"),
    [{ rolsuper: false }],
    'nothing of it was run',
  );

  await t.test('a table of another owner, and its history', async (t) => {
    await asMallory(AS_PREST_MAKES_IT.replaceAll('%', 'shared.theirs'));
    const theirs = placeOf(t, server, { schema: 'shared', table: 'theirs' });
    const mallory = 'user=mallory password=mallory';
    const own = placeOf(t, server, theirs.table, mallory);
    t.strictSame(await own.ddl.make(), FOUND);
    await server.sql('DROP TRIGGER theirs_changed ON shared.theirs');
    t.strictSame(await theirs.ddl.make(), FOUND, 'its owner may use it');
  });
});
