/** A script that is changed a thousand times while it is run: each answer is wholly of one text, and none fails. */
import pg from 'pg';
import t from 'tap';
import { CREATE, insert, TELL } from '../stored/registry/tables.js';
import { live } from '../support/everywhere.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const UPDATES = 1_000;

/** Says its number in a constant, in text that is rendered, and in a value that is bound. */
const text = (n: number): string =>
  `SELECT ${n} AS a,\n {{if isSet "x"}}${n}{{else}}-1{{end}} AS b,\n {{sqlVal "x"}}::int - {{sqlVal "x"}}::int + ${n} AS c`;

const postgres = await startPostgres(t, {
  setup: [`${CREATE};`, insert('a/v', text(0)), insert('a/same', `SELECT 'same' AS v`), TELL].join(
    '\n',
  ),
});
const service = await startService(t, {
  database: postgres.url,
  config: {
    'http.processes': 2,
    'pool.threads': 2,
    'pg.maxopenconn': 8,
    'queries.storage': 'database',
    'queries.migrate_on_startup': false,
    'queries.import_on_startup': false,
  },
});
t.test('a thousand updates under load', async (t) => {
  const TARGET = '/_QUERIES/a/v?x=5';
  await live(service.port, TARGET, '200 [{"a":0,"b":0,"c":0}]');

  const seen = new Set<number>();
  let torn = '';
  const load = new Load(t, {
    port: service.port,
    clients: 8,
    target: (n) => (n % 10 === 0 ? '/_QUERIES/a/same' : TARGET),
    answered: (body) => {
      if (body === '[{"v":"same"}]') return;
      const [row] = JSON.parse(body) as { a: number; b: number; c: number }[];
      if (row!.a !== row!.b || row!.b !== row!.c) torn = body;
      seen.add(row!.a);
    },
  });
  const editor = new pg.Client({ connectionString: postgres.url });
  await editor.connect();
  // More of them where few requests are answered meanwhile, on a busy machine.
  let last = 0;
  while (last < UPDATES || seen.size <= 10)
    await editor.query(`UPDATE service_queries SET read_sql = $1 WHERE name = 'v'`, [text(++last)]);
  await editor.end();
  await live(service.port, TARGET, `200 [{"a":${last},"b":${last},"c":${last}}]`);
  await load.stop();

  t.strictSame(load.failures, []);
  t.equal(torn, '', 'no answer is of two texts');
  t.comment(`${seen.size} texts were seen by ${load.asked} requests`);
});
