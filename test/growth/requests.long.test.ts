/** Requests take time in proportion to what a caller sends: parameters, headers, bodies of every kind, lists, depth. */
import t from 'tap';
import { readBody, type BodyUse } from '#app/script/body/request-body.js';
import { ServiceError } from '#app/base/errors.js';
import { readMessage } from '#app/mcp/protocol/message.js';
import { selectQuery } from '#app/mcp/rows/row-query.js';
import { TableSet } from '#app/mcp/tables/table-set.js';
import { HeaderFields } from '#app/script/request/header-fields.js';
import { parseQueryString } from '#app/script/request/query-string.js';
import { RequestData } from '#app/script/request/request-data.js';
import { compile, RefusedValue, TemplateError } from '#app/template/template.js';
import { column, tableOf } from '../mcp/tested-table.js';
import { grows, type Growing } from './growth.js';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=x';

/** What a caller is told is a result too. */
async function tried(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAnswer =
      error instanceof ServiceError ||
      error instanceof TemplateError ||
      error instanceof RefusedValue;
    if (!isAnswer) throw error;
  }
}

function repeated(count: number, text: (i: number) => string, between = ''): string {
  return Array.from({ length: count }, (_, i) => text(i)).join(between);
}

function read(body: string, contentType: string, use: BodyUse = 'members'): () => unknown {
  const characters = Buffer.from(body).toString('latin1');
  return () => tried(() => readBody({ characters, contentType }, use));
}

const part = (head: string, text: string): string =>
  `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;

const BODIES: [name: string, size: number, make: Growing][] = [
  ['a list in JSON', 200_000, (n) => read(`{"a":[${repeated(n, String, ',')}]}`, JSON_TYPE)],
  ['members in JSON', 100_000, (n) => read(`{${repeated(n, (i) => `"m${i}":1`, ',')}}`, JSON_TYPE)],
  ['objects in JSON', 100_000, (n) => read(`[${repeated(n, () => '{"a":1}', ',')}]`, JSON_TYPE)],
  ['lists in lists', 50_000, (n) => read(`{"a":[${repeated(n, () => '[[[]]]', ',')}]}`, JSON_TYPE)],
  ['depth in JSON', 100_000, (n) => read('[{"a":'.repeat(n), JSON_TYPE)],
  ['a text in JSON', 4_000_000, (n) => read(`{"a":"${'x'.repeat(n)}"}`, JSON_TYPE)],
  ['escapes in JSON', 400_000, (n) => read(`{"a":"${'\\n'.repeat(n)}"}`, JSON_TYPE)],
  ['a number in JSON', 2_000_000, (n) => read(`{"a":1${'0'.repeat(n)}}`, JSON_TYPE)],
  ['lines before a mistake', 500_000, (n) => read(`${'\n'.repeat(n)}{"a":]`, JSON_TYPE)],
  ['bytes that are not UTF-8', 500_000, (n) => () => tried(() => readBody({ characters: `${'é'.repeat(n)}\xff`, contentType: JSON_TYPE }, 'text'))],
  ['fields of a form', 200_000, (n) => read(repeated(n, (i) => `a${i}=%41`, '&'), FORM)],
  ['a field of a form', 500_000, (n) => read(`a=${'%C3%A9+'.repeat(n)}`, FORM)],
  ['signs of a form', 1_000_000, (n) => read('&'.repeat(n) + '='.repeat(n), FORM)],
  ['parts', 4_000, (n) => read(`${repeated(n, (i) => part(`name="f${i}"`, 'x'))}--x--\r\n`, MULTIPART)],
  ['parts of one name', 4_000, (n) => read(`${repeated(n, () => part(`name="f"`, 'x'))}--x--\r\n`, MULTIPART)],
  ['parts that are not UTF-8', 1_000, (n) => {
    const characters = `${repeated(n, (i) => part(`name="f${i}"`, `\xff${'\xef\xbf'.repeat(500)}`))}--x--\r\n`;
    return () => tried(() => readBody({ characters, contentType: MULTIPART }, 'members'));
  }],
  ['a file', 8_000_000, (n) => read(`${part('name="f"; filename="a"', '\r\n--y'.repeat(n / 5))}--x--\r\n`, MULTIPART)],
  ['files', 1_000, (n) => read(`${repeated(n, () => part('name="f"; filename="a"', 'x'.repeat(200)))}--x--\r\n`, MULTIPART)],
  ['what is almost a boundary', 400_000, (n) => {
    const boundary = 'a'.repeat(70);
    return read(`--${boundary}\r\n${`\r\n--${'a'.repeat(69)}`.repeat(n / 70)}`, `multipart/form-data; boundary=${boundary}`);
  }],
  ['a boundary', 400_000, (n) => read(`\r\n--${'a'.repeat(n)}`, `multipart/form-data; boundary=${'a'.repeat(n / 100)}b`)],
  ['headers of a part', 400_000, (n) => read(part(`name="f"; ${'a=b; '.repeat(n / 5)}`, 'x'), MULTIPART)],
  ['a Content-Type', 400_000, (n) => read('x', `multipart/form-data${' ; boundary'.repeat(n / 11)}`)],
]; // prettier-ignore

for (const [name, size, make] of BODIES) t.test(name, (t) => grows(t, name, make, size));

/** Renderings with a body and a query string. */
function rendered(
  template: string,
  body: (n: number) => object,
  query: (n: number) => string = () => '',
): Growing {
  const compiled = compile(template, 'f/s');
  return (n) => {
    const characters = Buffer.from(JSON.stringify(body(n))).toString('latin1');
    const read = readBody({ characters, contentType: JSON_TYPE }, 'members');
    if (read instanceof Promise) throw new Error('JSON is read at once');
    const parameters = parseQueryString(query(n));
    return () =>
      tried(() =>
        compiled.render(new RequestData(parameters, '', '', () => undefined, undefined, read)),
      );
  };
}

const list = (text: string) => (n: number) => ({ list: Array.from({ length: n }, () => text) });
const text = (one: string) => (n: number) => ({ text: one.repeat(n) });
const names = (n: number) => {
  const all = Array.from({ length: n }, (_, i) => `m${i}`);
  return { names: all, ...Object.fromEntries(all.map((name) => [name, 'x'])) };
};

const RENDERINGS: [name: string, size: number, make: Growing][] = [
  ['a list that is printed', 80_000, rendered(`{{range index . "body.list"}}'{{.}}',{{end}}`, list('a b'))],
  ['a list that is printed bare', 80_000, rendered('{{range index . "body.list"}}{{.}} {{end}}', list('a b c'))],
  ['a list in one print', 80_000, rendered('{{index . "body.list"}}', list('a b'))],
  ['a list in printf', 80_000, rendered('{{range index . "body.list"}}{{printf "%s and %q" . .}}{{end}}', list('a b'))],
  ['a list that is bound', 60_000, rendered('{{sqlList "body.list"}}', list('a b'))],
  ['an array that is bound', 200_000, rendered('{{sqlVal "body.list"}}', list('a"b'))],
  ['a list in quotes', 80_000, rendered('{{inFormat "body.list"}}', list('a b'))],
  ['members that are looked up', 40_000, rendered('{{range index . "body.names"}}{{index $ (print "body." .)}}{{end}}', names)],
  ['members that are asked for', 80_000, rendered('{{range index . "body.names"}}{{if isSet (print "body." .)}}1{{end}}{{end}}', names)],
  ['a text that is printed', 1_000_000, rendered(`'{{index . "body.text"}}'`, text('ab '))],
  ['a text that is split', 100_000, rendered(`{{range split (index . "body.text") "b"}}'{{.}}'{{end}}`, text('ab '))],
  ['letters that may be prefixes', 200_000, rendered(`{{range index . "body.list"}}{{.}}'x'{{end}}`, list('e'))],
  ['all parameters', 1_000, rendered('{{range $k, $v := .}}{{$k}}{{$v}} {{end}}', () => ({}), (n) => repeated(n, (i) => `p${i}=x`, '&'))],
  ['a parameter sent often', 1_000, rendered('{{range .p}}{{.}} {{end}}', () => ({}), (n) => repeated(n, () => 'p=x', '&'))],
]; // prettier-ignore

for (const [name, size, make] of RENDERINGS) t.test(name, (t) => grows(t, name, make, size));

const REQUESTS: [name: string, size: number, make: Growing][] = [
  ['a query string', 400_000, (n) => () => tried(() => parseQueryString(`a=${'%41'.repeat(n)}&b=`))],
  ['parameters', 100_000, (n) => () => tried(() => parseQueryString('a=1&'.repeat(n)))],
  ['headers', 20_000, (n) => {
    const packed = repeated(n, (i) => `x-h${i}\nv`, '\n');
    return () => new HeaderFields(packed, () => undefined, undefined).get(`X-H${n - 1}`);
  }],
  ['a header sent often', 20_000, (n) => {
    const packed = repeated(n, () => 'x-h\nv', '\n');
    return () => new HeaderFields(packed, () => undefined, undefined).get('X-H');
  }],
  ['an MCP message', 200_000, (n) => () => readMessage(`{"jsonrpc":"2.0","id":"${'1'.repeat(n)}","method":"x","params":{"a":[${repeated(n, String, ',')}]}}`)],
]; // prettier-ignore

for (const [name, size, make] of REQUESTS) t.test(name, (t) => grows(t, name, make, size));

const COLUMNS = Array.from({ length: 1_600 }, (_, i) => column(`c${i}`, { position: i + 1 }));
const TABLE = tableOf(COLUMNS, {});
const TABLES = new TableSet([TABLE]);

const SELECTIONS: [name: string, size: number, args: (n: number) => object][] = [
  ['filters', 1_600, (n) => ({ filters: Object.fromEntries(COLUMNS.slice(0, n).map(({ name }) => [name, 'x'])) })],
  ['values of a filter', 1_000, (n) => ({ filters: { c0: Array.from({ length: n }, String) } })],
  ['values of an operator', 1_000, (n) => ({ filters: { c0: { in: Array.from({ length: n }, String) } } })],
  ['columns', 1_600, (n) => ({ columns: COLUMNS.slice(0, n).map(({ name }) => name) })],
  ['order', 1_600, (n) => ({ order_by: COLUMNS.slice(0, n).map(({ name }) => `-${name}`) })],
]; // prettier-ignore

for (const [name, size, args] of SELECTIONS)
  t.test(`${name} of MCP`, (t) =>
    grows(t, name, (n) => () => selectQuery(args(n) as never, TABLE, TABLES, 1 << 20), size),
  );
