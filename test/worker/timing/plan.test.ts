/** A plan in the log has kinds of nodes, names and estimates, and nothing that a script or a request contains. */
import t from 'tap';
import { readPlan } from '#app/worker/timing/plan.js';

const estimates = { 'Startup Cost': 0, 'Total Cost': 35.5, 'Plan Rows': 10 };

/** The lines of a plan. */
const linesOf = (plan: object): readonly string[] =>
  readPlan(JSON.stringify([{ Plan: plan }]))?.plan ?? [];

t.test('no plan', (t) => {
  for (const json of ['[]', '[{}]', '[{"Plan": null}]', '[{"Plan": "text"}]'])
    t.equal(readPlan(json), undefined, json);
  t.throws(() => readPlan('no JSON'));
  t.end();
});

t.test('nodes', (t) => {
  const nodes: [object, string][] = [
    [{ 'Node Type': 'Seq Scan', 'Relation Name': 'o', Schema: 's' }, 'Seq Scan on s.o'],
    [
      { 'Node Type': 'Index Scan', 'Relation Name': 'o', 'Index Name': 'i' },
      'Index Scan using i on o',
    ],
    [{ 'Node Type': 'Hash Join', 'Join Type': 'Left' }, 'Hash Left Join'],
    [{ 'Node Type': 'Nested Loop', 'Join Type': 'Inner' }, 'Nested Loop'],
    [{ 'Node Type': 'Nested Loop', 'Join Type': 'Semi' }, 'Nested Loop Semi Join'],
    [{ 'Node Type': 'Aggregate', Strategy: 'Hashed', 'Parallel Aware': true }, 'Parallel Hashed Aggregate'], // prettier-ignore
    [{ 'Node Type': 'Aggregate', Strategy: 'Plain' }, 'Aggregate'],
    [{ 'Node Type': 'ModifyTable', Operation: 'Update', 'Relation Name': 'o' }, 'Update on o'],
    [{ 'Node Type': 'Function Scan', 'Function Name': 'f', Alias: 'secret' }, 'Function Scan on f'],
    [
      {
        'Node Type': 'CTE Scan',
        'CTE Name': 'secret',
        Filter: "(x = 'secret')",
        Output: ['secret'],
      },
      'CTE Scan',
    ],
  ];
  for (const [node, expected] of nodes)
    t.same(linesOf({ ...node, ...estimates }), [`${expected} (rows=10 cost=0.00..35.50)`]);
  t.end();
});

t.test('depth, and many nodes', (t) => {
  const leaf = (name: string) => ({ 'Node Type': 'Seq Scan', 'Relation Name': name, ...estimates });
  const plan = { 'Node Type': 'Append', Plans: [leaf('a'), leaf('b')], ...estimates };
  t.same(
    linesOf(plan).map((line) => line.replace(/ \(.*/, '')),
    ['Append', '  Seq Scan on a', '  Seq Scan on b'],
  );
  const many = { ...plan, Plans: Array.from({ length: 100 }, () => leaf('a')) };
  t.equal(linesOf(many).length, 41);
  t.equal(linesOf(many).at(-1), '… 61 more');
  t.end();
});

t.test('the query id keeps its 64 bits, and is not taken from a text', (t) => {
  const filter = { Filter: '("Query Identifier": 5)' };
  const json = (id: string) =>
    `[{"Plan": ${JSON.stringify({ 'Node Type': 'Result', ...filter })}${id}}]`;
  t.equal(readPlan(json(', "Query Identifier": -6905234231234567891'))?.queryid, '-6905234231234567891'); // prettier-ignore
  t.equal(readPlan(json(''))?.queryid, undefined);
  t.end();
});
