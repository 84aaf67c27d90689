/** Scripts take time in proportion to what their authors write: length, conditions, directives, statements, scripts. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { RouteTrie } from '#app/serve/http/routes/route-trie.js';
import { prove } from '#app/proof/branches/proof.js';
import { compileText } from '#app/script/script-text.js';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { routesOf } from '#app/script/route-list.js';
import { statementRanges } from '#app/script/statement/statement-split.js';
import { parseRoute } from '#app/script/head/route-pattern.js';
import { Slots } from '#app/proof/branches/slots.js';
import { compiled } from '../proof/prove-text.js';
import { grows, type Growing } from './growth.js';

function repeated(count: number, text: (i: number) => string, between = ''): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(between);
}

/** The texts of which a script may consist, by what it has many of. */
const TEXTS: [name: string, size: number, text: (i: number) => string][] = [
  ['isSet', 8_000, (i) => `{{if isSet "p${i}"}} AND a${i}{{end}}`],
  ['fields', 8_000, (i) => `{{.p${i}}},`],
  ['bound values', 8_000, (i) => `{{sqlVal "p${i}"}},`],
  ['variables', 8_000, (i) => `{{$v${i} := .p${i}}}{{$v${i}}}`],
  ['templates', 8_000, (i) => `{{define "t${i}"}}x{{end}}{{template "t${i}"}}`],
  ['parameters', 8_000, (i) => `-- @param q${i} integer min=1\n`],
  ['enums', 2_000, (i) => `-- @param q${i} enum(a, b, c)[]\n`],
  ['headers', 2_000, (i) => `-- @header X-${i}: {{.a}}\n`],
  ['comments', 20_000, (i) => `-- a comment ${i}\n`],
  ['unknown directives', 2_000, (i) => `-- @nothing${i}\n`],
  ['misplaced directives', 8_000, () => `SELECT 1;\n-- @one\n`],
  ['constants', 20_000, () => `'it''s' || $$a$$ || `],
  ['parentheses', 20_000, () => '('],
  ['words', 50_000, () => 'word '],
  ['braces', 50_000, () => '{'],
  ['comments of templates', 20_000, () => '{{/* a */ -}} '],
]; // prettier-ignore

for (const [name, size, text] of TEXTS)
  t.test(`a text with ${name}`, (t) => {
    const make: Growing = (n) => {
      const whole = repeated(n, text);
      return () => {
        const script = compileText(whole, 'f/s', 'write');
        if (script instanceof ServiceError) return;
        const { text: rendered } = script.template.render({});
        try {
          new StatementBuilder(jsonFrame('json_agg', 1 << 20)).build('write', rendered, 'f/s');
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
        }
      };
    };
    return grows(t, name, make, size);
  });

const BOUNDS = { paths: 16, shapes: 16, pairs: 16, isOver: () => false };
const PROVED = new StatementBuilder(jsonFrame('json_agg', 1 << 20));

/** The parameters that a proof explores, and whether PostgreSQL accepts what half of the combinations render. */
const CONDITIONS: [name: string, text: (i: number) => string][] = [
  ['isSet', (i) => `{{if isSet "p${i}"}} AND a${i}{{end}}`],
  ['values', (i) => `{{if .p${i}}} AND a${i}{{end}}`],
  ['constants', (i) => `{{if eq .p${i} "x"}} AND a${i}{{end}}`],
  ['constants of one', (i) => `{{if eq .k "c${i}"}} AND a${i}{{end}}`],
  ['orders', (i) => `{{if lt .p${i} "m"}} AND a${i}{{end}}`],
  ['the same value', (i) => `{{if eq .a .p${i}}} AND a${i}{{end}}`],
  ['headers', (i) => `{{if index .header "X-H${i}"}} AND a${i}{{end}}`],
  ['bound values', (i) => `{{sqlVal "p${i}"}},`],
  ['printed values', (i) => `{{.p${i}}},`],
  ['values in quotes', (i) => `'{{.p${i}}}',`],
  ['lists', (i) => `{{inFormat "p${i}"}},`],
  ['lists that are bound', (i) => `{{sqlList "p${i}"}},`],
  ['parts', (i) => `{{range split .p${i} ","}}{{.}}{{end}}`],
  ['defaults', (i) => `{{defaultOrValue "p${i}" "1"}},`],
]; // prettier-ignore

for (const [name, text] of CONDITIONS)
  for (const rejects of [false, true])
    t.test(`a proof with ${name}${rejects ? ', some rejected' : ''}`, (t) => {
      const make: Growing = (n) => {
        const script = compiled(`SELECT 1 WHERE true ${repeated(n, text)}`);
        let asked = 0;
        const describe = (sql: string) => {
          const fails = rejects && asked++ % 2 === 1;
          const failure = { state: '42601', message: 'syntax error', position: 40, fatal: false };
          const parameters = Array.from(sql.matchAll(/\$\d+/g), () => 25);
          return Promise.resolve(fails ? (failure as never) : { parameters, columns: [] });
        };
        const session = { script: 'f/s', statements: PROVED, describe, tables: [] };
        return () => prove(script, session, BOUNDS);
      };
      return grows(t, name, make, 2_000);
    });

const OTHERS: [name: string, size: number, make: Growing][] = [
  ['statements', 100_000, (n) => () => statementRanges(repeated(n, (i) => `SELECT ${i};`))],
  ['underscores, where slots are looked for', 100_000, (n) => () => new Slots(`slot_${'_'.repeat(n)}`)],
  ['numbers, where slots are looked for', 20_000, (n) => () => new Slots(repeated(n, (i) => `${731 + i} `))],
  ['paths', 20_000, (n) => {
    const scripts = Array.from({ length: n }, (_, i) => ({
      alias: undefined,
      folder: 'f',
      name: `s${i}`,
      verb: 'read' as const,
      routes: [parseRoute(`/v1/f/s${i}/{id}`, ['GET', 'HEAD'])],
    }));
    return () => {
      const { routes } = routesOf(scripts, 'main');
      const trie = new RouteTrie(routes);
      for (let i = 0; i < n; i++) trie.find('GET', ['v1', 'f', `s${i}`, '1']);
    };
  }],
  ['paths that conflict', 20_000, (n) => {
    const scripts = Array.from({ length: n }, (_, i) => ({
      alias: undefined,
      folder: 'f',
      name: `s${i}`,
      verb: 'read' as const,
      routes: [parseRoute('/v1/f/{id}', ['GET', 'HEAD'])],
    }));
    return () => routesOf(scripts, 'main');
  }],
]; // prettier-ignore

for (const [name, size, make] of OTHERS) t.test(name, (t) => grows(t, name, make, size));
