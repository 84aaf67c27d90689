/** Errors for a script that PostgreSQL rejects: which argument to change, or that no change will help. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { TestedScripts } from '../tested-scripts.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE item (id int, s int)' });

const TEXTS = {
  'f/sort': 'SELECT id FROM item ORDER BY {{if .sort}}{{.sort}}{{else}}id{{end}}',
  'f/absent': 'SELECT id FROM item ORDER BY {{index .header "X-Sort"}}',
  'f/like': `SELECT id FROM item WHERE id::text LIKE '%{{sqlVal "t"}}%'`,
  'f/own': 'SELECT $2::int AS a, {{sqlVal "t"}} AS b',
  'f/broken': `SELECT nope FROM item WHERE id::text = '{{.t}}'`,
};

const BROKEN =
  'error: the script cannot be run as a tool: it is not in order, or does not only read. Other arguments will most likely not help; its owner finds the reason in the log of the service.';

t.test('messages', async (t) => {
  const scripts = new TestedScripts(t, postgres, { texts: TEXTS });
  t.equal(
    await scripts.run('f/sort', { sort: 'nope' }),
    'error: invalid value for parameter sort: PostgreSQL does not accept the statement with it',
  );
  t.equal(
    await scripts.run('f/absent'),
    'error: invalid value for parameter header.X-Sort: it is missing',
  );
  t.match(
    await scripts.run('f/like', { t: 'a' }),
    /^error: the script has a placeholder inside quotes or a comment/,
  );
  t.match(scripts.logged.at(-1), { level: 'warn', state: '08P01', position: 'f/like:1:45' });
  t.equal(await scripts.run('f/own', { t: 'a' }), BROKEN);
  t.equal(await scripts.run('f/broken', { t: 'a' }), BROKEN);
});
