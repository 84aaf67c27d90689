/** The conditions under which a script fails, from the combinations for which it does and does not. */
import t from 'tap';
import { explain, whenText } from '#app/proof/branches/explanation.js';
import {
  ABSENT,
  anyValue,
  before,
  constant,
  EMPTY,
  listOf,
  listWith,
  NO_ITEMS,
  NULL,
  number,
  sameAs,
  variant,
  type Option,
  type Path,
} from '#app/proof/branches/option.js';

const ANY = anyValue('\ue000');
const TWO = listOf(['\ue000', '\ue001']);
const [X, Y] = [constant('x'), constant('y')];

function path(options: Readonly<Record<string, Option>>): Path {
  return Object.entries(options).map(([key, option]) => ({ key, option }));
}

/** Every combination of options of some parameters. */
function all(options: Readonly<Record<string, readonly Option[]>>): Path[] {
  return Object.entries(options).reduce<Path[]>(
    (paths, [key, its]) => paths.flatMap((one) => its.map((option) => [...one, { key, option }])),
    [[]],
  );
}

function of(one: Path, key: string): Option | undefined {
  return one.find((choice) => choice.key === key)?.option;
}

const ABC = { a: [ANY, ABSENT], b: [ANY, ABSENT], c: [ANY, ABSENT] };

const CASES: [name: string, paths: readonly Path[], fails: (one: Path) => boolean, when: string][] = [
  ['all combinations', all(ABC), () => true, 'always'],
  ['one that is sent', all(ABC), (p) => of(p, 'b') === ANY, '`b` is sent'],
  ['one that is not sent', all(ABC), (p) => of(p, 'c') === ABSENT, '`c` is not sent'],
  ['two together', all(ABC), (p) => of(p, 'a') === ANY && of(p, 'c') === ABSENT, '`a` is sent and `c` is not sent'],
  ['either of two', all(ABC), (p) => of(p, 'a') === ANY || of(p, 'b') === ANY, '`a` is sent, or `b` is sent'],
  ['all of three', all(ABC), (p) => p.every(({ option }) => option === ABSENT), '`a` is not sent and `b` is not sent and `c` is not sent'],
  ['a constant', all({ k: [ANY, ABSENT, X, Y] }), (p) => of(p, 'k') === X, '`k` is "x"'],
  ['any value but a constant', all({ k: [ANY, ABSENT, X] }), (p) => of(p, 'k') === ANY, '`k` is sent and `k` is not "x"'],
  ['all but a constant', all({ k: [ANY, ABSENT, X] }), (p) => of(p, 'k') !== X, '`k` is not "x"'],
  ['no value', all({ k: [ANY, ABSENT, EMPTY] }), (p) => of(p, 'k') !== ANY, '`k` is not sent or empty'],
  ['an empty value', all({ k: [ANY, ABSENT, EMPTY] }), (p) => of(p, 'k') === EMPTY, '`k` is empty'],
  ['a value', all({ k: [ANY, ABSENT, EMPTY] }), (p) => of(p, 'k') === ANY, '`k` has a value'],
  ['null', all({ 'body.k': [ANY, ABSENT, NULL] }), (p) => of(p, 'body.k') === NULL, '`body.k` is null'],
  ['an empty list', all({ 'body.k': [ANY, ABSENT, NO_ITEMS, TWO] }), (p) => of(p, 'body.k') === NO_ITEMS, '`body.k` is an empty list'],
  ['two values', all({ k: [ANY, ABSENT, TWO] }), (p) => of(p, 'k') === TWO, '`k` is sent twice'],
  ['one value', all({ k: [ANY, ABSENT, TWO] }), (p) => of(p, 'k') === ANY, '`k` is sent once'],
  ['a number that is compared', all({ k: [number('7310000'), ABSENT, constant('1')] }), (p) => of(p, 'k')!.id === 'number', '`k` is sent and `k` is not "1"'],
  ['a value after a constant', all({ k: [ANY, before('\u0001\ue000', 'm'), constant('m'), ABSENT] }), (p) => of(p, 'k') === ANY, '`k` is greater than "m"'],
  ['a list with a value', all({ k: [listWith(['x']), listWith(['y']), listWith(['x', 'y'])] }), (p) => of(p, 'k')!.has!.includes('x'), '`k` has "x"'],
  ['a list without a value', all({ k: [listWith(['x']), listWith(['y']), listWith(['x', 'y'])] }), (p) => !of(p, 'k')!.has!.includes('x'), '`k` does not have "x"'],
  ['a list in which another value is', all({ k: [TWO, variant(['x', '\ue001'])] }), (p) => of(p, 'k') === TWO, '`k` does not have "x"'],
  ['parts', all({ k: [ANY, variant('\ue000 x')] }), (p) => of(p, 'k') !== ANY, '`k` is like "… x"'],
  ['a number', all({ n: [ANY, number('7')] }), (p) => of(p, 'n') !== ANY, '`n` is a number'],
  ['another parameter', all({ a: [ANY, sameAs('b', '\ue002')] }), (p) => of(p, 'a') !== ANY, '`a` is the same as `b`'],
  ['a value before a constant', all({ a: [ANY, before('\u0001\ue000', 'x')] }), (p) => of(p, 'a') !== ANY, '`a` is less than "x"'],
  ['one that is not always asked for', [path({ a: ANY }), path({ a: ABSENT, b: ANY }), path({ a: ABSENT, b: ABSENT })], (p) => of(p, 'b') === ANY, '`a` is not sent and `b` is sent'],
  ['one that good combinations do not ask for', [path({ a: ABSENT }), path({ a: ANY, b: ANY })], (p) => p.length === 2, '`a` is sent'],
  ['different parts for different reasons', all({ a: [ANY, ABSENT], k: [ANY, X, Y] }), (p) => of(p, 'k') === X || (of(p, 'k') === Y && of(p, 'a') === ANY), '`k` is "x", or `a` is sent and `k` is "y"'],
]; // prettier-ignore

for (const [name, paths, fails, when] of CASES)
  t.test(name, (t) => {
    const failing = paths.filter(fails);
    const good = paths.filter((one) => !fails(one));
    t.equal(whenText(failing, good), when);
    t.equal(whenText([...failing].reverse(), [...good].reverse()).length, when.length);
    t.end();
  });

t.test('the order of the search does not matter with more combinations than are compared', (t) => {
  const keys = Array.from({ length: 12 }, (_, i) => `p${i}`);
  const paths = all(Object.fromEntries(keys.map((key) => [key, [ANY, ABSENT]])));
  for (const key of ['p0', 'p1', 'p6', 'p10', 'p11']) {
    const failing = paths.filter((one) => of(one, key) === ABSENT);
    const good = paths.filter((one) => of(one, key) === ANY);
    t.equal(whenText(failing, good), `\`${key}\` is not sent`);
  }
  t.end();
});

t.test('more conditions than are searched for', (t) => {
  for (const count of [6, 30, 60]) {
    const keys = Array.from({ length: count }, (_, i) => `p${i}`);
    const none = path(Object.fromEntries(keys.map((key) => [key, ABSENT])));
    const good = keys.map((key) =>
      none.map((one) => (one.key === key ? { key, option: ANY } : one)),
    );
    t.equal(whenText([none], good), keys.map((key) => `\`${key}\` is not sent`).join(' and '));
  }
  t.end();
});

t.test('what nothing tells apart from what is good', (t) => {
  t.equal(whenText([path({ a: ANY })], [path({ a: ANY })]), 'in some combinations');
  t.end();
});

t.test('what no bound set explains is explained in part', (t) => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const paths = all(Object.fromEntries(keys.map((key) => [key, [ANY, ABSENT]])));
  const odd = (one: Path) => one.filter(({ option }) => option === ANY).length % 2 === 1;
  const found = explain(
    paths.filter(odd),
    paths.filter((one) => !odd(one)),
  );
  t.ok(found.length <= 4);
  t.ok(
    found.every((conditions) => conditions.length > 0),
    'never always',
  );
  t.end();
});
