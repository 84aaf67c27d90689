/** Proofs on several databases, and on those that do not answer. */
import t from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import { databaseSettings } from '../../support/http-process.js';
import { startOwnPostgres, startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { ScriptFolder, TestedProver } from './tested-prover.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int)' });
const stock = await startOwnPostgres(t, {
  setup: 'CREATE TABLE item (id int); CREATE TABLE shelf (id int)',
});
const others = { stock };

const FILES = {
  'v/both.read.sql': 'SELECT id FROM item',
  'v/stock.read.sql': 'SELECT id FROM shelf',
  'v/none.read.sql': 'SELECT id FROM nothing',
  'v/path.read.sql': '-- @path /shelves\nSELECT id FROM shelf',
};

t.test('a file that is broken on the default database and meant for another one', async (t) => {
  const { location: scripts } = new ScriptFolder(t, FILES);
  const prover = new TestedProver(t, server, { scripts, others });
  await prover.rounds(1);
  t.equal(prover.verdict('v/both'), 'proved');
  t.equal(prover.verdict('v/both', 'stock'), undefined, 'one proof is enough');
  t.equal(prover.verdict('v/stock', 'stock'), 'proved');
  t.equal(prover.verdict('v/stock'), undefined);
  t.equal(prover.verdict('v/none'), 'broken');
  t.equal(prover.verdict('v/path'), 'broken', 'its path is for the default database');
  t.strictSame(prover.logged('v/stock'), []);
  t.equal(prover.logged('v/none').length, 1);
  await stock.sql('DROP TABLE shelf');
  await prover.becomes('v/stock', 'broken');
  t.equal(prover.verdict('v/stock', 'stock'), undefined);
  await stock.sql('CREATE TABLE shelf (id int)');
  await prover.becomes('v/stock', 'proved', 'stock');
  t.equal(prover.verdict('v/stock'), undefined);
});

t.test('with require each text is proved on every database', async (t) => {
  const { location: scripts } = new ScriptFolder(t, FILES);
  const prover = new TestedProver(t, server, { mode: 'require', scripts, others });
  await prover.rounds(1);
  t.strictSame(
    [...prover.cache.proofs]
      .map(({ alias, script, serves }) => `${alias} ${script} ${serves !== undefined}`)
      .sort(),
    [
      'main v/both true',
      'main v/none false',
      'main v/path false',
      'main v/stock false',
      'stock v/both true',
      'stock v/none false',
      'stock v/path true',
      'stock v/stock true',
    ],
  );
});

t.test('a database that does not answer at start', async (t) => {
  const late = await startOwnPostgres(t, { setup: 'CREATE TABLE item (id int)' });
  const { location: scripts } = new ScriptFolder(t, { ...FILES, 'v/template.read.sql': '{{if}}' });
  await late.kill();
  const prover = new TestedProver(t, late, { scripts, others });
  await prover.becomes('v/template', 'broken');
  await until(() =>
    prover.lines.some(
      ({ level, msg }) => level === 40 && msg.startsWith('scripts cannot be proved on'),
    ),
  );
  t.notOk(prover.cache.complete);
  t.equal([...prover.cache.proofs].length, 1, 'the others wait');
  await late.restart();
  await prover.complete();
  t.equal(prover.verdict('v/both'), 'proved');
  t.equal(prover.verdict('v/stock', 'stock'), 'proved');
  const about = prover.lines.filter(
    ({ script, database }) => script === undefined && database === 'main',
  );
  t.equal(about.at(-1)?.msg, 'scripts can be proved on the database again');
});

t.test('another database that does not answer', async (t) => {
  const { location: scripts } = new ScriptFolder(t, FILES);
  const nowhere = { ...server, port: await freePort() };
  const prover = new TestedProver(t, server, { scripts, others: { stock: nowhere } });
  await prover.complete();
  t.equal(prover.verdict('v/stock'), 'broken', 'nobody knows better');
});

t.test('a connection that is cut', async (t) => {
  const { location: scripts } = new ScriptFolder(t, FILES);
  const { conninfo } = databaseSettings('test', server);
  const prover = new TestedProver(t, server, {
    scripts,
    others,
    conninfo: `${conninfo} application_name=cut`,
  });
  await until(() => prover.described.length > 0);
  await server.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut'`,
  );
  await prover.complete();
  t.equal(prover.verdict('v/both'), 'proved');
});
