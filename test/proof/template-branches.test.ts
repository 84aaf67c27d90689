/** The branches of a template, without a database. */
import t from 'tap';
import { branchesOf, type Failure } from '#app/proof/template-branches.js';

t.test('a text that cannot be used', async (t) => {
  for (const [text, message] of [
    ['SELECT\n {{if}}', /^template: a\/b:2: missing value for if$/],
    ['-- @param x whole\nSELECT 1', /^line 1: /],
    ['SELECT \0', /NUL character/],
  ] as const)
    await t.rejects(branchesOf(text, 'a/b'), { name: 'Error', message }, text);
});

t.test('the texts, what they bind and when', async (t) => {
  for (const [text, branches] of [
    ['SELECT 1', [['SELECT 1', [], 'always']]],
    [
      'SELECT * FROM t{{if isSet "id"}} WHERE id = {{sqlVal "id"}}{{end}} ORDER BY {{.by}}',
      [
        ['SELECT * FROM t ORDER BY ‹by›', [], '`id` is not sent and `by` is sent'],
        ['SELECT * FROM t WHERE id = $1 ORDER BY ‹by›', [['id']], '`id` is sent and `by` is sent'],
        ['SELECT * FROM t ORDER BY <no value>', [], '`id` is not sent and `by` is not sent'],
        [
          'SELECT * FROM t WHERE id = $1 ORDER BY <no value>',
          [['id']],
          '`id` is sent and `by` is not sent',
        ],
      ],
    ],
    [
      'SELECT {{if isSet "a"}}{{sqlVal "a"}}{{else}}{{sqlVal "b"}}{{end}}',
      [['SELECT $1', [['a', 'b']], 'always']],
    ],
  ] as const) {
    const found = await branchesOf(text, 'a/b');
    const seen = found.branches.map(({ text, bound, when }) => [text, bound, when]);
    t.same(new Set(seen.map(String)), new Set(branches.map(String)), text);
    t.strictSame([found.failures, found.extent, found.open], [[], 'all', []]);
  }
});

t.test('requests for which there is no text', async (t) => {
  const failing = async (text: string): Promise<readonly Failure[]> =>
    (await branchesOf(text, 'a/b')).failures;
  t.strictSame(await failing('SELECT {{if eq .s "a"}}1{{else}}{{len .n}}{{end}}'), [
    {
      message:
        'template: a/b:1:34: error calling len: reflect: call of reflect.Value.Type on zero Value',
      refused: true,
      when: '`s` is not "a" and `n` is not sent',
    },
  ]);
  t.match(await failing('SELECT {{if eq .s "a"}}1{{else}}{{index .header 1}}{{end}}'), [
    { message: /^template: a\/b:1:34: /, refused: false, when: '`s` is not "a"' },
  ]);
});

t.test('the verb and the time', async (t) => {
  const body = 'INSERT INTO t VALUES ({{sqlVal "body.name"}})';
  const { branches } = await branchesOf(body, 'a/b', { verb: 'write' });
  t.match(branches[0], { text: 'INSERT INTO t VALUES ($1)', bound: [['body.name']] });
  const many = Array.from({ length: 12 }, (_, i) => `{{if isSet "p${i}"}}${i}{{end}}`).join('');
  t.equal((await branchesOf(`SELECT 1${many}`, 'a/b', { time: 0 })).extent, 'part');
});
