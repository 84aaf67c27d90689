/** The texts that a script renders, and when. */
import t from 'tap';
import { explore, type Exploration } from '#app/proof/branches/exploration.js';
import type { Path } from '#app/proof/branches/option.js';
import { ellipsed } from '#app/proof/branches/slots.js';
import type { Verb } from '#app/script/verb.js';
import { BOUNDS, compiled, OneSlice } from '../prove-text.js';

async function exploring(text: string, verb: Verb = 'read', bounds = BOUNDS): Promise<Exploration> {
  return explore(compiled(text, verb), bounds, new OneSlice());
}

/** Slots of values as …, of names as name, of numbers as 7. */
function shown(text: string): string {
  return ellipsed(text).replace(/slot_+\d+_/g, 'name').replace(/\b73\d{5}\b/g, '7'); // prettier-ignore
}

function conditions(path: Path): string {
  return path.map(({ key, option }) => `${key} ${option.says}`).join(', ');
}

/** Texts without the head, in order. */
function texts({ shapes }: Exploration): string[] {
  return shapes.map(({ rendered }) => shown(rendered.text.replace(/^-- .*\n/gm, ''))).sort();
}

const CASES: [name: string, text: string, wanted: string[], verb?: Verb][] = [
  ['no parameter', '1', ['1']],
  ['a value', 'a {{.x}}', ['a …', 'a <no value>']],
  ['isSet', '{{if isSet "x"}}x{{end}}.', ['.', 'x.']],
  ['the same question twice', '{{if isSet "x"}}1{{end}}{{if isSet "x"}}2{{else}}3{{end}}', ['12', '3']],
  ['contradictory conditions', '{{if eq .k "a"}}{{if eq .k "b"}}never{{end}}a{{end}}.', ['.', 'a.']],
  ['else if', '{{if eq .k "a"}}A{{else if eq .k "b"}}B{{else if .k}}C{{else}}D{{end}}', ['A', 'B', 'C', 'D']],
  ['several constants', '{{if eq .k "a" "b"}}{{if ne .k "a"}}b{{else}}a{{end}}{{end}}.', ['.', 'a.', 'b.']],
  ['a constant with text around the value', '{{if eq (print "x" .k) "xy"}}1{{else}}2{{end}}', ['1', '2']],
  ['and, or, not', '{{if and .a (or .b (not .c))}}1{{else}}2{{end}}', ['1', '2']],
  ['empty', '{{if isSet "x"}}{{if .x}}value{{else}}empty{{end}}{{end}}.', ['.', 'empty.', 'value.']],
  ['an order', '{{if lt .k "m"}}<{{else if eq .k "m"}}={{else}}>{{end}}', ['<', '=', '>']],
  ['what comes before is not empty', '{{if .k}}{{if lt .k "m"}}<{{else}}>{{end}}{{end}}.', ['.', '<.', '>.']],
  ['two parameters that are the same', '{{if and .a .b}}{{if eq .a .b}}={{else}}≠{{end}}{{end}}.', ['.', '=.', '≠.']],
  ['two that are the same and are compared', '{{if eq .a .b}}{{if eq .a "k"}}k{{else}}={{end}}{{end}}.', ['.', '=.', 'k.']],
  ['items that are the same as another parameter', '{{if isSet "k"}}{{range .ids}}{{if eq $.k .}}={{else}}≠{{end}}{{end}}{{end}}.', ['.', '=≠.', '≠=.', '≠≠.']],
  ['a list', '{{sqlList "ids"}}', ['($1)', '($1,$2)']],
  ['a list in quotes', '{{inFormat "ids"}}', ["('…')", "('…', '…')", "('<nil>')"]],
  ['a range', '{{range $i, $e := .ids}}{{if $i}},{{end}}{{$e}}{{else}}none{{end}}', ['none', '…,…']],
  ['a range with break', '{{range .ids}}{{.}}{{break}}{{end}}.', ['.', '….']],
  ['items that are compared', '{{range .ids}}{{if eq . "a"}}A{{else}}{{.}}{{end}}{{end}}.', ['.', 'AA.', 'A….', '…A.', '…….']],
  ['items that are empty', '{{range .ids}}{{if .}}1{{else}}0{{end}}{{end}}.', ['.', '00.', '01.', '10.', '11.']],
  ['the length of a list', '-- @param ids integer[]\n{{if gt (len .ids) 1}}many{{else}}one{{end}}', ['many', 'one']],
  ['an item of a list', '-- @param ids text[] required\n{{index .ids 0}}', ['…']],
  ['items of an enum', '-- @param ids enum(a, b)[] required\n{{range .ids}}{{.}}{{end}}', ['a', 'aa', 'ab', 'b', 'ba', 'bb']],
  ['the only value of an enum twice', '-- @param ids enum(a)[] required\n{{sqlList "ids"}}', ['($1)', '($1,$2)']],
  ['a declared list is a list when it was sent once', '-- @param ids text[] required\n{{if eq (index .ids 0) "a"}}{{len .ids}}{{end}}.', ['.', '1.', '2.']],
  ['an enum', '-- @param k enum(a, b) required\n{{if eq .k "a"}}1{{else if eq .k "b"}}2{{else}}never{{end}}', ['1', '2']],
  ['a constant that is no value of an enum', '-- @param k enum(a, b)\n{{if eq .k "c"}}never{{end}}.', ['.']],
  ['a default', '-- @param k text = d\n{{if isSet "k"}}1{{end}}{{.k}}', ['1…', 'd']],
  ['a required one', '-- @param k text required\n{{if isSet "k"}}1{{else}}never{{end}}', ['1']],
  ['defaultOrValue', '{{defaultOrValue "k" "d"}} {{.k}}', ['d d', '… …']],
  ['a default that is compared', '{{if eq (defaultOrValue "k" "a") "a"}}{{.k}}{{end}}.', ['.', 'a.']],
  ['limitOffset', '{{limitOffset .page "10"}}', ['LIMIT 10 OFFSET(7 - 1) * 10']],
  ['a constant in place of a number', '-- @param n integer\n{{if eq (print .n) "5"}}five{{end}}.', ['.', 'five.']],
  ['ident', '{{ident "column"}}', ['"name"']],
  ['a name with a digit after it', '{{ident "a"}}{{.a}}1', ['"name"name1']],
  ['parts', '{{range $i, $e := split .columns " "}}{{if $i}}, {{end}}{{$e}}{{end}}', ['…', '…, …']],
  ['parts with a separator that the screen refuses', '{{range split .columns ","}}({{.}}){{end}}', ['(…)']],
  ['parts of what was parted', '{{range split .x " "}}{{range split . " "}}({{.}}){{end}}{{end}}', ['(…)', '(…)(…)']],
  ['a variable', '{{$v := "a"}}{{if isSet "x"}}{{$v = "b"}}{{end}}{{$v}}', ['a', 'b']],
  ['with', '{{with .x}}{{.}}{{else}}none{{end}}', ['none', '…']],
  ['a template', '{{define "part"}}{{if isSet "x"}}1{{else}}2{{end}}{{end}}{{template "part" .}}{{block "b" .}}3{{end}}', ['13', '23']],
  ['a computed name', '{{if isSet (print "x" "y")}}1{{else}}2{{end}}', ['1', '2']],
  ['a header', '{{if isSet "header.X-A"}}{{index .header "X-A"}}{{end}}.', ['.', '….']],
  ['a header that is always empty', '{{if index .header "Cookie"}}never{{end}}{{range index .header "Cookie"}}never{{end}}', []],
  ['a header that is left out', '{{if isSet "header.Host"}}never{{end}}.', ['.']],
  ['a claim', '{{sqlVal "claims.sub"}}{{sqlList "claims.roles"}}', ['$1($2)', '$1($2,$3)']],
  ['a claim is no parameter', '{{if isSet "claims.sub"}}never{{end}}.', ['.']],
  ['a member of a body', '{{if isSet "body.x"}}{{if index . "body.x"}}value{{else}}none{{end}}{{end}}.', ['.', 'none.', 'value.'], 'write'],
  ['a list in a body', '{{range index . "body.x"}}({{.}}){{else}}none{{end}}', ['(…)', '(…)(…)', 'none'], 'write'],
  ['a body of a read', '{{if isSet "body.x"}}never{{end}}.', ['.']],
  ['the body', '{{if index . "request.body"}}1{{else}}2{{end}}', ['1', '2'], 'write'],
  ['the body, declared as a list', '-- @param request.body text[]\n{{len (index . "request.body")}}', ['1'], 'write'],
]; // prettier-ignore

for (const [name, text, wanted, verb] of CASES)
  t.test(name, async (t) => {
    const found = await exploring(text, verb);
    t.strictSame([...new Set(texts(found))], [...wanted].sort());
    t.equal(found.extent, 'all');
    t.strictSame(found.open, []);
    const again = await exploring(text, verb);
    t.strictSame(
      again.shapes.map(({ rendered, paths }) => [rendered.text, paths.map(conditions)]),
      found.shapes.map(({ rendered, paths }) => [rendered.text, paths.map(conditions)]),
      'the same again',
    );
  });

const OPEN: [text: string, what: string][] = [
  ['{{index .x 0}}', 'the characters of `x`'],
  ['{{slice .x 0 1}}', 'the characters of `x`'],
  ['{{len .x}}', 'the length of `x`'],
  ['{{js .x}}', '`x` as changed by js'],
  ['{{range .ids}}{{end}}{{js .ids}}', '`ids` as changed by js'],
  ['{{printf "%q" .x}}', '`x` as changed by printf'],
  ['{{printf .x}}', '`x` as changed by printf'],
  ['{{sqlVal .x}}', 'a parameter whose name the caller sends'],
  ['{{sqlList (print "claims." .x)}}', 'a claim whose name the caller sends'],
  ['{{lt .a .b}}', 'the order of two parameters'],
  ['{{lt .a "m"}}{{lt .a "n"}}', 'the order of `a`'],
  ['-- @param n integer\n{{lt (print .n) "5"}}', 'the order of `n`'],
  ['{{eq (print .a .b) "xy"}}', 'a comparison of a text made of several values'],
  ['{{if eq .a .b}}{{eq .b .c}}{{end}}', 'a comparison of three parameters'],
  ['{{split .a ""}}', 'the parts of `a`'],
  ['-- @param a date\n{{split .a "-"}}', 'the parts of `a`'],
  ['{{range .ids}}{{limitOffset . 10}}{{end}}', 'the numbers in `ids`'],
  ['{{.}}', 'all parameters or headers of the request'],
  ['{{range $k, $v := .header}}{{$k}}{{end}}', 'all parameters or headers of the request'],
  ['{{len .}}', 'all parameters or headers of the request'],
  ['{{print .header}}', 'all parameters or headers of the request'],
]; // prettier-ignore

t.test('what cannot be decided', async (t) => {
  for (const [text, what] of OPEN) t.ok((await exploring(text)).open.includes(what), text);
});

t.test('what is answered 400, and what is 500', async (t) => {
  const of = async (text: string) => {
    const { refused, failed } = await exploring(text);
    const texts = (list: Exploration['failed']) => [...new Set(list.map(({ path }) => conditions(path)))]; // prettier-ignore
    return [texts(refused), texts(failed)];
  };
  t.strictSame(await of('{{range .ids}}{{end}}'), [['ids is sent'], []]);
  t.strictSame(await of('{{limitOffset .n "1"}}'), [['n is sent', 'n is not sent'], []]);
  t.strictSame(await of('{{if isSet "a"}}{{index "b" 7}}{{end}}'), [[], ['a is sent']]);
  t.strictSame(await of('{{if isSet "a"}}-{{.a}}{{end}}{{if eq .a "-b"}}{{end}}'), [
    ['a is "-b"'],
    [],
  ]);
});

t.test('bounds', async (t) => {
  const flags = Array.from({ length: 6 }, (_, i) => `{{if isSet "p${i}"}} p${i}{{end}}`).join('');
  const bounds = { ...BOUNDS, paths: 64 };
  t.match(await exploring(flags, 'read', bounds), { extent: 'all', renderings: 64 });
  t.match(await exploring(flags, 'read', { ...bounds, paths: 63 }), { extent: 'pairs' });
  t.match(await exploring(flags, 'read', { ...bounds, shapes: 10 }), { extent: 'pairs' });
  t.match(await exploring(flags, 'read', { ...bounds, paths: 2, pairs: 2 }), { extent: 'part' });
  const long = `{{range 100000}}long enough {{end}}${flags}`;
  t.match(await exploring(long), { extent: 'part', renderings: 7 }, 'all texts together');
  t.match(await exploring(flags, 'read', { ...bounds, isOver: () => true }), { extent: 'part', renderings: 16 }); // prettier-ignore
});
