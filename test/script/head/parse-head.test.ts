/** The head of a script: its directives, those that make no sense, and warnings. */
import t from 'tap';
import { HeadError, NO_HEAD, type Head } from '#app/script/head/head.js';
import { parseHead } from '#app/script/head/parse-head.js';

const GET = ['GET', 'HEAD'];
const parsed = (head: string, methods = GET): Head => parseHead(`${head}\nSELECT 1`, methods);

/** A directive that makes no sense, and what its error says. */
const ERRORS: [head: string, line: number, message: RegExp][] = [
  ['-- @one\n-- @one', 2, /^@one: there is one in line 1 already$/],
  ['-- @one\n-- @scalar', 2, /^@scalar: there is one in line 1 already$/],
  ['-- About\n-- @one row', 2, /^@one: it takes nothing, not "row"$/],
  ['-- @strict yes', 1, /^@strict: it takes nothing/],
  ['-- @status', 1, /^@status: it takes a status of success/],
  ['-- @status 404', 1, /^@status: /],
  ['-- @status 300', 1, /^@status: /],
  ['-- @status 206', 1, /^@status: /],
  ['-- @status 0x200', 1, /^@status: /],
  ['-- @primary always', 1, /^@primary: it takes nothing, not "always"$/],
  ['-- @primary\n-- @primary', 2, /^@primary: there is one in line 1 already/],
  ['-- @header Service-LSN: 0/1', 1, /^@header: the service itself sends Service-Lsn$/],
  ['-- @timeout', 1, /^@timeout: it takes a time such as 500ms, 2s or 1min$/],
  ['-- @timeout 2', 1, /^@timeout: /],
  ['-- @timeout 0s', 1, /^@timeout: /],
  ['-- @timeout -1s', 1, /^@timeout: /],
  ['-- @timeout 2147483648ms', 1, /^@timeout: /],
  ['-- @timeout 1s\n-- @timeout 2s', 2, /^@timeout: there is one in line 1/],
  ['-- @deprecated 2026-02-30 gone', 1, /^@deprecated: 2026-02-30 is not a date$/],
  ['-- @deprecated 2026-13-01', 1, /is not a date/],
  ['-- @header', 1, /^@header: it takes Name: value/],
  ['-- @header Location /a', 1, /it takes Name: value/],
  ['-- @header Bad Name: a', 1, /it takes Name: value/],
  ['-- @header Location:', 1, /it takes Name: value/],
  ['-- @header content-length: 3', 1, /the service itself sends Content-Length/],
  ['-- @header X-Request-ID: 3', 1, /the service itself sends X-Request-Id/],
  ['-- @header Set-Cookie: a={a}', 1, /Set-Cookie must not have a \{column\}/],
  ['-- @header Location: /{', 1, /not part of a \{column\}/],
  ['-- @header Location: /{}', 1, /not part of a \{column\}/],
  ['-- @header Location: /ä', 1, /not printable ASCII/],
  ['-- @header A: 1\n-- @header a: 2', 2, /there is one in line 1/],
  ['-- @header Location: /{{id}}', 1, /takes no \{\{…\}\}/],
  ['-- @path', 1, /the path is missing/],
  ['-- @path v1', 1, /does not begin with a slash/],
  ['-- @path POST /v1', 1, /the method POST is none/],
  ['-- @path /v1//a', 1, /empty segment/],
  ['-- @path /', 1, /empty segment/],
  ['-- @path /v1/', 1, /empty segment/],
  ['-- @path /v1/../a', 1, /dot segment/],
  ['-- @path /v1/a b', 1, /does not begin with a slash/],
  ['-- @path /v1/{a}b', 1, /a parameter is a whole segment/],
  ['-- @path /v1/{header}', 1, /invalid parameter name \{header\}/],
  ['-- @path /v1/{a}/{a}', 1, /twice/],
  ['-- @path /v1?a=1', 1, /query string/],
  ['-- @path /v1\n-- @path /v1', 2, /there twice/],
  ['-- @param', 1, /^@param: it takes name type/],
  ['-- @param id', 1, /id needs a type/],
  ['-- @param id int', 1, /unknown type "int" of id, the nearest one is integer/],
  ['-- @param id integer\n-- @param id text', 2, /there is one in line 1/],
  ['-- @param header.a integer\n-- @param header.A text', 2, /there is one in line 1/],
  ['-- @param header. text', 1, /is not the name of a header/],
  ['-- @param header text', 1, /header is a reserved name/],
  ['-- @param request.path text', 1, /request.path is a reserved name/],
  ['-- @param claims.sub text', 1, /reserved/],
  ['-- @param id integer[', 1, /needs a type/],
  ['-- @param id [] integer', 1, /needs a type/],
  ['-- @param id integer required required', 1, /required twice/],
  ['-- @param id integer = 1 = 2', 1, /a default twice/],
  ['-- @param id integer =', 1, /nothing after =/],
  ['-- @param id integer min=', 1, /nothing after min=/],
  ['-- @param id integer required = 1', 1, /cannot have a default/],
  ['-- @param id integer = x', 1, /the default of id is not an integer/],
  ['-- @param id integer max=9 = 10', 1, /the default of id is not an integer up to 9/],
  ['-- @param id integer[] = 1,x', 1, /the default of id/],
  ['-- @param id integer min=9 max=1', 1, /min= above its max=/],
  ['-- @param id integer min=a', 1, /min= of id is not an integer/],
  ['-- @param id text min=1', 1, /no min= and max=/],
  ['-- @param id integer maxlength=3', 1, /minlength=, maxlength= and pattern= are for texts/],
  ['-- @param id integer minlength=3', 1, /minlength=, maxlength= and pattern= are for texts/],
  ['-- @param id text minlength=x', 1, /minlength= of id is not a number of characters/],
  ['-- @param id text minlength=9 maxlength=8', 1, /minlength= above its maxlength=/],
  ['-- @param id text minlength=3 = ab', 1, /the default of id is not a text of at least 3/],
  ['-- @error', 1, /@error: it takes an SQLSTATE/],
  ['-- @error 23505', 1, /it takes an SQLSTATE/],
  ['-- @error 23505:', 1, /it takes an SQLSTATE/],
  ['-- @error 2350: x', 1, /it takes an SQLSTATE/],
  ['-- @error 00000: x', 1, /it takes an SQLSTATE/],
  ['-- @error 23505 a b: x', 1, /it takes an SQLSTATE/],
  ['-- @error 23505: x {{.a}}', 1, /takes no \{\{/],
  ['-- @error 23505 a: x\n-- @error 23505 "a": y', 2, /there is one in line 1/],
  ['-- @param id text maxlength=x', 1, /not a number of characters/],
  ['-- @param id text maxlength=0', 1, /not a number of characters/],
  ['-- @param id text pattern=(', 1, /pattern= of id: error parsing regexp: missing closing \)/],
  ['-- @param id text pattern=(?=a)', 1, /pattern= of id: .*unsupported Perl syntax/],
  ['-- @param id text pattern=[z-a]', 1, /pattern= of id: .*invalid character class range/],
  ['-- @param id enum()', 1, /empty value/],
  ['-- @param id enum(a,,b)', 1, /empty value/],
  ['-- @param id enum(a, a)', 1, /twice/],
  ['-- @param id enum(a, b) = c', 1, /the default of id is not one of a, b/],
];

t.test('directives that make no sense', (t) => {
  for (const [head, line, message] of ERRORS) {
    let error: unknown;
    try {
      parsed(head);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof HeadError)) t.fail(`${head}: no error`);
    else t.match({ line: error.line, message: error.message }, { line, message }, head);
  }
  t.end();
});

t.test('texts without directives', (t) => {
  for (const text of [
    '',
    'SELECT 1',
    '-- About\nSELECT 1',
    '-- ann@example.com\nSELECT 1',
    '-- @ 12 o’clock\nSELECT 1',
    "SELECT '@one'",
    'SELECT 1 /* @one */',
  ])
    t.equal(parseHead(text, GET), NO_HEAD, text);
  t.end();
});

t.test('unknown and misplaced directives are warnings', (t) => {
  const { warnings, shape } = parsed('-- About\n-- @author Ann\n-- @ones', GET);
  t.equal(shape, 'list');
  t.match(warnings, [
    { line: 2, message: /^unknown directive @author, .*the nearest one is @/ },
    { line: 3, message: /@ones, .*the nearest one is @one$/ },
  ]);
  t.match(parseHead('-- About\n\n-- @one\nSELECT 1', GET), {
    shape: 'list',
    warnings: [{ line: 3, message: /^@one has no effect here/ }],
  });
  t.match(parseHead('SELECT 1\n  -- @status 201', GET).warnings, [{ line: 2 }]);
  t.match(parseHead('-- @one\nSELECT 1 -- @status 201', GET).warnings, []);
  t.end();
});

t.test('every kind of leading comment', (t) => {
  for (const head of [
    '-- @one',
    '\n\n--@one',
    '---- @one\r',
    '-- About\n  -- @one',
    '/* @one */',
    '/*\n * About\n * @one\n */',
    '{{/* @one */}}',
    '{{- /*\n@one\n*/ -}}',
  ])
    t.equal(parsed(head).shape, 'one', head);
  t.end();
});

t.test('what directives declare', (t) => {
  const head = parsed(
    `-- Orders of a customer.
-- @strict
-- @scalar
-- @status 201
-- @timeout 1.5s
-- @deprecated 2026-01-01 use orders/v2
-- @header location: /v1/orders/{id}/{the line}
-- @header Cache-Control: no-store
-- @path /v1/orders/{id}
-- @path GET /v1/latest`,
  );
  t.match(head, { strict: true, shape: 'scalar', status: 201, timeout: 1500, warnings: [] });
  t.equal(head.deprecation, '@1767225600');
  t.same(head.headers, [
    { name: 'Location', texts: ['/v1/orders/', '/', ''], columns: ['id', 'the line'] },
    { name: 'Cache-Control', texts: ['no-store'], columns: [] },
  ]);
  t.same(head.routes, [
    { methods: GET, path: '/v1/orders/{id}', segments: ['v1', 'orders', { parameter: 'id' }] },
    { methods: GET, path: '/v1/latest', segments: ['v1', 'latest'] },
  ]);
  t.equal(parsed('-- @deprecated').deprecation, 'true');
  t.equal(parsed('-- @deprecated use the other').deprecation, 'true');
  t.equal(parsed('-- @timeout 2min').timeout, 120_000);
  t.same(parsed('-- @path PUT /a', ['PUT', 'PATCH']).routes[0]?.methods, ['PUT']);
  t.end();
});

t.test('parameters', (t) => {
  const { parameters } = parsed(`-- @param limit integer min=1 max=100 = 10 Rows of a page.
-- @param tag text[] = 'a b,c'
-- @param state enum(open, closed) required
-- @param header.x-tenant uuid
-- @param body.name text maxlength=80 pattern='[A-Z].*' The name, see "about".
-- @param request.body json`);
  t.same(
    [...parameters.keys()],
    ['limit', 'tag', 'state', 'header.X-Tenant', 'body.name', 'request.body'],
  );
  t.match(parameters.get('limit'), {
    type: 'integer',
    fallback: '10',
    list: false,
    required: false,
    expected: 'an integer from 1 to 100',
    description: 'Rows of a page.',
  });
  t.match(parameters.get('tag'), { fallback: ['a b', 'c'], list: true });
  t.match(parameters.get('state'), {
    required: true,
    values: ['open', 'closed'],
    expected: 'one of open, closed',
  });
  t.match(parameters.get('body.name'), {
    expected: 'a text of at most 80 characters that matches [A-Z].*',
    description: 'The name, see "about".',
  });
  t.end();
});

t.test('lengths', (t) => {
  const of = (options: string) => parsed(`-- @param v text ${options}`).parameters.get('v')!;
  t.equal(of('minlength=2').expected, 'a text of at least 2 characters');
  t.equal(of('minlength=2 maxlength=3').expected, 'a text of 2 to 3 characters');
  const valid = (options: string, ...texts: string[]) => texts.map((text) => of(options).isValid(text)); // prettier-ignore
  t.same(valid('minlength=2', '', 'a', '𝔘', 'ab', '𝔘𝔘', 'abc'), [false, false, false, true, true, true]); // prettier-ignore
  t.same(valid('minlength=2 maxlength=2', 'a', '𝔘𝔘', '𝔘𝔘𝔘', 'abc'), [false, true, false, false]);
  t.same(valid('maxlength=2', '', '𝔘𝔘', 'abc'), [true, true, false]);
  t.end();
});

t.test('texts of errors', (t) => {
  const { errors } = parsed(`-- @error 23505 books_isbn_key: This ISBN exists: take another
-- @error 23505 "a key": Exists
-- @error PT418 : I’m a teapot`);
  t.same(
    [...errors],
    [
      ['23505 books_isbn_key', 'This ISBN exists: take another'],
      ['23505 a key', 'Exists'],
      ['PT418', 'I’m a teapot'],
    ],
  );
  t.end();
});

t.test('a parameter to which the service gives a value', (t) => {
  const standards = new Map([['_page_size', '10']]);
  const one = (text: string): Head => parseHead(`-- @param ${text}\nSELECT 1`, GET, standards);
  t.throws(() => one('_page_size integer max=5'), {
    line: 1,
    message:
      '@param: _page_size is 10 when it was not sent, which is not an integer up to 5: declare a default',
  });
  t.equal(one('_page_size integer max=5 = 5').parameters.get('_page_size')?.fallback, '5');
  t.equal(one('_page_size integer max=50').parameters.size, 1);
  t.equal(one('size integer max=5').parameters.size, 1);
  t.end();
});
