/** The text of parse trees: tokens, lists, sets, data, escapes; what is no tree. */
import t from 'tap';
import {
  isSame,
  parseTree,
  TreeError,
  TreeNode,
  walk,
  type TreeValue,
} from '#app/proof/analysis/node-tree.js';

/** A value as JSON, with the tag of nodes as their first member. */
function plain(value: TreeValue): unknown {
  if (value instanceof TreeNode) {
    const fields = [...value.fields].map(([name, field]): [string, unknown] => [
      name,
      plain(field),
    ]);
    return Object.fromEntries([['tag', value.tag], ...fields]);
  }
  return typeof value === 'string' || value === null ? value : value.map(plain);
}

const INVALID: readonly string[] = [
  '',
  '{',
  '(',
  ')',
  '}',
  '{A :a',
  '{A :a }',
  '{A a b}',
  '{A :a 1) }',
  '(1',
  '(i 1',
  '1 2',
  '{A} {B}',
  '('.repeat(1_001) + ')'.repeat(1_001),
  '{A :a '.repeat(100_000),
];

t.test('what is no tree is refused', (t) => {
  for (const text of INVALID)
    t.throws(() => parseTree(text), TreeError, text.slice(0, 20) || 'an empty text');
  t.end();
});

const VALUES: readonly (readonly [text: string, value: unknown])[] = [
  ['<>', null],
  ['\\<>', '<>'],
  ['1', '1'],
  ['""', ''],
  ['()', []],
  ['({A} <> (1 2))', [{ tag: 'A' }, null, ['1', '2']]],
  ['(i 1 -2)', ['1', '-2']],
  ['(o 16384)', ['16384']],
  ['(x 7)', ['7']],
  ['(b)', []],
  ['(b 1 8)', ['1', '8']],
  ['("a" "b\\ c" "" "i")', ['a', 'b c', '', 'i']],
  ['("\\"x\\"" "a\\ b\\(\\)\\{\\}\\\\")', ['"x"', 'a b(){}\\']],
  ['(true b101 1.5)', ['true', 'b101', '1.5']],
  ['{A :b 1 :c <>}', { tag: 'A', b: '1', c: null }],
  ['{A :b <> :c ({B :d x})}', { tag: 'A', b: null, c: [{ tag: 'B', d: 'x' }] }],
  ['{A :name a\\ :b\\ \\{c :next 2}', { tag: 'A', name: 'a :b {c', next: '2' }],
  ['{A :name :odd :next 2}', { tag: 'A', name: ':odd', next: '2' }],
  ['{A :name \\"quoted\\" :next \\1a}', { tag: 'A', name: '"quoted"', next: '1a' }],
  ['{A :name é\\\n\\\t}', { tag: 'A', name: 'é\n\t' }],
  [
    '{A :value 4 [ 1 0 -3 0 ] :next 2}',
    { tag: 'A', value: ['4', '[', '1', '0', '-3', '0', ']'], next: '2' },
  ],
  ['{A :value 0 [ ]}', { tag: 'A', value: ['0', '[', ']'] }],
  ['{A\n :b\t1 \n}', { tag: 'A', b: '1' }],
  // Tags of versions before 16.
  [
    '({RTE} {ARRAY} {CASE} {WHEN} {OPEXPR})',
    ['RANGETBLENTRY', 'ARRAYEXPR', 'CASEEXPR', 'CASEWHEN', 'OPEXPR'].map((tag) => ({ tag })),
  ],
];

t.test('values', (t) => {
  for (const [text, value] of VALUES) t.strictSame(plain(parseTree(text)), value, text);
  t.strictSame(
    parseTree('('.repeat(900) + ')'.repeat(900)),
    JSON.parse('['.repeat(900) + ']'.repeat(900)),
  );
  t.end();
});

t.test('fields', (t) => {
  const node = parseTree(
    '{A :n 7 :set (b 1 2) :yes true :no false :text a\\ b :node {B} :nodes ({B} <> {C})}',
  );
  if (!(node instanceof TreeNode)) throw new Error('no node');
  t.equal(node.number('n'), 7);
  t.strictSame(node.numbers('set'), [1, 2]);
  t.ok(node.flag('yes'));
  t.notOk(node.flag('no'));
  t.equal(node.text('text'), 'a b');
  t.equal(node.node('node')?.tag, 'B');
  t.strictSame(
    node.nodes('nodes').map(({ tag }) => tag),
    ['B', 'C'],
  );
  const missing = [
    node.number('x'),
    node.numbers('x'),
    node.flag('x'),
    node.text('x'),
    node.node('x'),
  ];
  t.strictSame(missing, [0, [], false, '', undefined], 'a field that this version does not have');
  const tags: string[] = [];
  walk([node, [null, node]], ({ tag }) => tags.push(tag));
  t.equal(tags.join(''), 'ABBCABBC');
  t.end();
});

const SAME: readonly (readonly [a: string, b: string, same: boolean])[] = [
  ['{V :a 1 :location 5}', '{V :a 1 :location 9}', true],
  ['{V :a 1 :varnosyn 1 :funcformat 2}', '{V :a 1 :varnosyn 2 :funcformat 0}', true],
  ['{V :a 1 :varlevelsup 0}', '{V :a 1 :varlevelsup 2}', true],
  ['{V :a 1}', '{V :a 2}', false],
  ['{V :a 1}', '{W :a 1}', false],
  ['{V :a (1 2)}', '{V :a (1)}', false],
  ['{V :a ({B :c 1})}', '{V :a ({B :c 1})}', true],
  ['{V :a ({B :c 1})}', '{V :a ({B :c <>})}', false],
  ['<>', '{V}', false],
];

t.test('expressions are the same however they were written', (t) => {
  for (const [a, b, same] of SAME) t.equal(isSame(parseTree(a), parseTree(b)), same, `${a} ${b}`);
  t.end();
});
