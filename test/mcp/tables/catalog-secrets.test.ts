/** Relations with rows of hidden tables are hidden too, under any name and however they were created. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { namesIn, TestedCatalog } from '../tested-catalog.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE SCHEMA kept; CREATE SCHEMA copies; CREATE SCHEMA shown;
    CREATE ROLE reader; GRANT USAGE ON SCHEMA kept, copies, shown TO reader;

    CREATE TABLE kept.person (id int UNIQUE, login text, secret text);
    CREATE TABLE kept.person_old () INHERITS (kept.person);
    CREATE TABLE kept.person_older () INHERITS (kept.person_old);
    CREATE MATERIALIZED VIEW kept.badge AS SELECT 'x'::text AS badge;
    CREATE VIEW kept.active AS SELECT p.*, b.badge FROM kept.person p, kept.badge b;
    CREATE VIEW service_users AS SELECT login AS username, secret AS password FROM kept.active;
    CREATE TABLE service_scripts (id int, name text) PARTITION BY RANGE (id);
    CREATE TABLE kept.half PARTITION OF service_scripts FOR VALUES FROM (0) TO (9) PARTITION BY LIST (id);
    CREATE TABLE kept.quarter PARTITION OF kept.half FOR VALUES IN (1);
    CREATE TABLE kept.all_history (id int);
    CREATE TABLE service_scripts_history () INHERITS (kept.all_history);

    CREATE MATERIALIZED VIEW copies.people AS SELECT * FROM kept.person;
    CREATE MATERIALIZED VIEW copies.logins AS SELECT username FROM service_users;
    CREATE MATERIALIZED VIEW copies.parts AS SELECT id FROM kept.quarter;
    CREATE MATERIALIZED VIEW copies.copy AS SELECT * FROM copies.people;

    CREATE TABLE shown.orders (person int REFERENCES kept.person (id), name text);
    CREATE TABLE shown.audit (login text);
    CREATE RULE noted AS ON INSERT TO shown.audit DO ALSO UPDATE kept.person SET login = new.login;
    CREATE VIEW shown.names AS SELECT id, login FROM kept.person;
    CREATE MATERIALIZED VIEW copies.names AS SELECT o.name FROM shown.orders o JOIN shown.names n ON n.id = o.person;
    CREATE MATERIALIZED VIEW shown.sums AS SELECT count(*) FROM shown.orders;
    CREATE TABLE shown.service_users (id int);
    CREATE MATERIALIZED VIEW shown.others AS SELECT * FROM shown.service_users;

    GRANT SELECT ON ALL TABLES IN SCHEMA kept, copies, shown TO reader;`,
});
const tested = new TestedCatalog(t, postgres);
const SHOWN = ['audit', 'names', 'orders', 'others', 'service_users', 'sums'].map(
  (name) => `shown.${name}`,
);

t.test('below a view, inherited, and copied', async (t) => {
  t.strictSame(namesIn(await tested.tables()), SHOWN);
  t.strictSame(namesIn(await tested.tables({ role: 'reader' })), SHOWN, 'to a role');
});

t.test('of an entry in [access] too', async (t) => {
  const names = ['kept.person', 'copies.people', 'shown.orders'];
  const tables = names.map((name) => ({ name, permissions: ['read'], fields: undefined }));
  const access = { restrict: true, tables, users: [], ignored: ['kept.quarter'] };
  const restricted = new TestedCatalog(t, postgres, { access });
  t.strictSame(namesIn(await restricted.tables()), ['shown.orders']);
});

t.test('as soon as they change', async (t) => {
  const CHANGES: [sql: string, shown: readonly string[]][] = [
    ['CREATE TABLE shown.free (id int, login text, secret text)', [...SHOWN, 'shown.free']],
    ['ALTER TABLE shown.free INHERIT kept.person', SHOWN],
    ['ALTER TABLE shown.free NO INHERIT kept.person', [...SHOWN, 'shown.free']],
    ['CREATE MATERIALIZED VIEW shown.copied AS SELECT * FROM shown.names', [...SHOWN, 'shown.free']],
    ['CREATE OR REPLACE VIEW service_users AS SELECT login AS username, secret AS password FROM shown.free', 
      ['copies.copy', 'copies.names', 'copies.people', 'kept.active', 'kept.badge', 'kept.person',
       'kept.person_old', 'kept.person_older', ...SHOWN, 'shown.copied']],
  ]; // prettier-ignore
  for (const [sql, shown] of CHANGES) {
    await postgres.sql(sql);
    t.strictSame(namesIn(await tested.renewed()), [...shown].sort(), sql);
  }
});
