/** Statements of listings: the same text is the same statement, and only so many are remembered. */
import t from 'tap';
import type { ListingRequest } from '#app/messages/batch.js';
import { ListingRunner } from '#app/worker/listings/listing-runner.js';
import { Query } from '#app/worker/query.js';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';

const outcomes = {
  succeeded: () => undefined,
  failed: () => undefined,
  slowAfter: Infinity,
  ran: () => undefined,
};

function runner(): (name: string, query?: string) => Query {
  const listings = new ListingRunner(
    { restrict: false, tables: [], users: [], ignored: [] },
    new StatementBuilder(jsonFrame('json_agg', 1_000)),
  );
  return (name, query = '') => {
    const request: ListingRequest = {
      kind: 'listing',
      id: 1,
      method: 'GET',
      alias: 'main',
      user: '',
      name,
      query,
      headers: '',
      requestId: 'test',
      role: '',
      claims: '',
      traced: false,
    };
    const made = new Query(outcomes, request, false);
    listings.prepare(made, request);
    return made;
  };
}

t.test('a read, wrapped as those of scripts', (t) => {
  const { statement, values, form, cannotWrite } = runner()('schemas', 'schema_name=a');
  t.equal(
    statement.sql,
    'SELECT pg_catalog.json_agg(s.*) FROM (\nSELECT schemata.schema_name' +
      ' FROM (SELECT * FROM information_schema.schemata) schemata WHERE schemata.schema_name = $1 ORDER BY schemata.schema_name' +
      '\n) s HAVING (pg_catalog.pg_column_size(pg_catalog.json_agg(s.*)) OPERATOR(pg_catalog.<=) 1000) IS NOT FALSE',
  );
  t.same({ values, form, cannotWrite }, { values: ['a'], form: 'body', cannotWrite: true });
  t.end();
});

t.test('values make no new text', (t) => {
  const prepare = runner();
  const { statement } = prepare('schemas', 'schema_name=$in.a');
  t.equal(statement.recurs, false);
  t.equal(prepare('schemas', 'schema_name=$in.b,c,d').statement, statement);
  t.equal(statement.recurs, true);
  t.not(prepare('schemas').statement, statement);
  t.end();
});

t.test('texts without end are not prepared', (t) => {
  const prepare = runner();
  prepare('tables');
  const columns = ['relname', 'relkind', 'relpages', 'nspname'];
  const targets = columns.flatMap((a) =>
    columns.flatMap((b) => ['eq', 'ne', 'gt', 'lt', 'in'].map((op) => `${a}=$${op}.x&${b}=y`)),
  );
  const recurring = (): number =>
    targets.filter((target) => prepare('tables', target).statement.recurs).length;
  recurring();
  const count = recurring();
  t.ok(count > 0 && count < 64, `${count} of ${targets.length}`);
  t.equal(recurring(), count);
  t.equal(prepare('tables').statement.recurs, true, 'what came first still is');
  t.end();
});

t.test('a long text is not kept', (t) => {
  const prepare = runner();
  const long = `_or=${Array(200).fill('schema_name=a').join('||')}`;
  t.not(prepare('schemas', long).statement, prepare('schemas', long).statement);
  t.end();
});

t.test('each listing has its cost', (t) => {
  const prepare = runner();
  t.equal(prepare('tables').cost, prepare('tables', 'name=a').cost);
  t.not(prepare('tables').cost, prepare('schemas').cost);
  t.end();
});
