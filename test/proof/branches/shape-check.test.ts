/** What PostgreSQL is asked about one text, and what follows from its answers. */
import t, { type Test } from 'tap';
import { parseHead } from '#app/script/head/parse-head.js';
import { StatementFailure } from '#app/postgres/statement/queryable.js';
import { ServiceError } from '#app/base/errors.js';
import type { SqlFailure } from '#app/postgres/statement/sql-failure.js';
import { explore } from '#app/proof/branches/exploration.js';
import { checkShape, type ShapeResult } from '#app/proof/branches/shape-check.js';
import { StandIns } from '#app/proof/branches/stand-ins.js';
import type { Describe, Description } from '#app/proof/branches/statement-check.js';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { BOUNDS, compiled, proveText } from '../prove-text.js';

const STATEMENTS = new StatementBuilder(jsonFrame('json_agg', 32 << 20));
const FINE: Description = { parameters: [], columns: [] };

/** Says what PostgreSQL says: undefined for a statement that can be parsed, or the code and the text of the error's place. */
type Says = (sql: string) => readonly [code: string, at?: string] | undefined;

/** A change, so that each text is asked about once and without a frame. */
async function checked(
  text: string,
  says: Says,
  types: readonly number[] = [],
): Promise<ShapeResult & { asked: string[] }> {
  const script = compiled(text, 'update');
  const { shapes, slots } = await explore(script, BOUNDS);
  const asked: string[] = [];
  const describe: Describe = async (sql) => {
    asked.push(sql);
    const said = says(sql);
    if (said === undefined) return Promise.resolve({ ...FINE, parameters: types });
    const [state, at] = said;
    const index = at === undefined ? -1 : sql.lastIndexOf(at);
    const position = index === -1 ? undefined : index + 1;
    return Promise.resolve({ state, message: state, position } as SqlFailure);
  };
  const result = await checkShape(shapes[0]!.rendered, slots, {
    script: 'a/b',
    verb: 'update',
    head: parseHead('', [], new Map()),
    statements: STATEMENTS,
    describe,
    tables: ['orders'],
  });
  return { ...result, asked };
}

function isFine(t: Test, { fault, open }: ShapeResult, opens: readonly string[] = []): void {
  t.equal(fault, undefined);
  t.strictSame(open.flatMap(({ keys }) => keys), opens); // prettier-ignore
}

t.test('equal texts share a placeholder, others do not', async (t) => {
  const result = await checked(
    'UPDATE t SET a = {{.x}}, b = {{.x}}, c = {{.y}} WHERE d = {{sqlVal "z"}}',
    () => undefined,
    [25, 23, 20],
  );
  t.strictSame(result.asked, ['UPDATE t SET a = $2, b = $2, c = $3 WHERE d = $1']);
  t.strictSame([...result.types], [['z', 25], ['x', 23], ['y', 20]]); // prettier-ignore
  isFine(t, result);
});

t.test('two parameters of the same text have its types', async (t) => {
  const text = 'SELECT {{if isSet "a"}}{{sqlVal "a"}}{{else}}{{sqlVal "b"}}{{end}} + 1 AS c';
  const describe = () => Promise.resolve({ ...FINE, parameters: [23] });
  const { parameters } = await proveText(text, 'update', describe);
  t.match(parameters, [{ name: 'a', types: [23] }, { name: 'b', types: [23] }]); // prettier-ignore
});

t.test('a value that comes before all others is one', async (t) => {
  const script = compiled('UPDATE t SET a = {{.x}}{{if lt .x "5"}}, b = 1{{end}}', 'update');
  const { shapes, slots } = await explore(script, BOUNDS);
  const low = shapes.find(({ rendered }) => rendered.text.includes('\u0001'))!;
  t.strictSame(
    new StandIns(low.rendered, slots, []).substitution().text,
    'UPDATE t SET a = $1, b = 1',
  );
});

t.test('the name of a function is open', async (t) => {
  const text = 'SELECT {{.f}}(a) FROM t';
  const result = await checked(text, (sql) => (sql.includes('max(') ? undefined : ['42601', '(']));
  t.strictSame(result.asked, ['SELECT max(a) FROM t']);
  isFine(t, result, ['f']);
  const wrong = await checked(text, (sql) =>
    sql.includes(' 1(') ? ['42601', '('] : ['42883', ' '],
  );
  isFine(t, wrong, ['f']);
});

t.test('a string constant is a placeholder, and a constant where that cannot be', async (t) => {
  const text = "UPDATE t SET a = '%{{.x}}%'";
  t.strictSame((await checked(text, () => undefined)).asked, ['UPDATE t SET a = $1']);
  const result = await checked(text, (sql) => (sql.includes('$1') ? ['42601', '$1'] : undefined));
  t.strictSame(result.asked, ['UPDATE t SET a = $1', "UPDATE t SET a = '%1%'"]);
  isFine(t, result);
});

t.test('a value of no type is tried as another', async (t) => {
  const says: Says = (sql) => (sql.includes("'1'") ? ['22007', "'1'"] : sql.includes('$1') ? ['42804', '$1'] : undefined); // prettier-ignore
  const result = await checked("UPDATE t SET a = date '{{.x}}'", says);
  t.equal(result.asked.at(-1), "UPDATE t SET a = date '2000-01-01'");
  isFine(t, result);
});

t.test('a bare value that is neither a value nor a word is a name, and open', async (t) => {
  const result = await checked('UPDATE {{.x}} SET a = 1', (sql) =>
    sql.includes('orders') ? undefined : ['42601', sql.split(' ')[1]!],
  );
  t.equal(result.asked.at(-1), 'UPDATE "orders" SET a = 1');
  isFine(t, result, ['x']);
});

t.test('nothing fits: open, as another value may', async (t) => {
  const result = await checked('UPDATE t SET a = {{.x}}', (sql) => ['42601', sql.slice(17)]);
  isFine(t, result, ['x']);
  t.ok(result.asked.length < 80);
});

t.test('an error elsewhere is a fault, whatever stands at the places', async (t) => {
  const says: Says = () => ['42703', 'nope'];
  const { fault } = await checked('UPDATE t SET nope = {{.x}}', says);
  t.match(fault, { code: '42703', place: { line: 1, column: 14 } });
  const plain = await checked('UPDATE t SET nope = 1', says);
  t.match(plain.fault, { code: '42703' });
  t.equal(plain.asked.length, 1);
});

t.test('errors elsewhere that differ with what stands there are open', async (t) => {
  let asked = 0;
  const result = await checked('UPDATE t SET a = {{.x}} WHERE b', () => [
    `4270${asked++ % 5}`,
    'b',
  ]);
  isFine(t, result, ['x']);
});

t.test('an error without a place', async (t) => {
  const { fault } = await checked('UPDATE t SET a = 1', () => ['42P10']);
  t.match(fault, { code: '42P10', place: undefined });
});

t.test('a placeholder in quotes', async (t) => {
  const result = await checked(`UPDATE t SET a = '{{sqlVal "x"}}'`, () => undefined);
  t.match(result.fault, { code: 'placeholder_in_literal', place: { line: 1, column: 21 } });
  t.strictSame(result.asked, []);
});

for (const failure of [
  new ServiceError('timeout'),
  { state: '08006', message: 'lost', position: undefined } as unknown as SqlFailure,
])
  t.test(
    `a database that cannot be asked: ${'state' in failure ? failure.state : failure.code}`,
    async (t) => {
      const script = compiled('UPDATE t SET a = 1', 'update');
      const { shapes, slots } = await explore(script, BOUNDS);
      const checking = {
        script: 'a/b',
        verb: 'update' as const,
        head: script.head,
        statements: STATEMENTS,
        describe: () => Promise.resolve(failure),
        tables: [],
      };
      await t.rejects(checkShape(shapes[0]!.rendered, slots, checking), StatementFailure);
    },
  );
