/** Declared parameters over HTTP: what is refused and how that is named, defaults, lists, and unknown parameters. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t);

const TYPES = [
  ...['text', 'integer', 'bigint', 'numeric', 'double', 'boolean', 'uuid', 'date', 'time'],
  ...['timestamp', 'timestamptz', 'interval', 'json'],
];
const sqlType = (type: string): string => (type === 'double' ? 'double precision' : type);
const scripts = {
  ...Object.fromEntries(
    TYPES.map((type) => [
      `type/${type}.read.sql`,
      `-- @param v ${type} required\nSELECT {{sqlVal "v"}}::${sqlType(type)}::text AS v`,
    ]),
  ),
  'p/page.read.sql': `-- @param limit integer min=1 max=100 = 10
-- @param from date max=2030-12-31
-- @param state enum(open, closed) = open
-- @param header.X-Tenant integer required
SELECT {{sqlVal "limit"}}::int AS "limit", {{sqlVal "from"}}::date AS "from", '{{.state}}' AS state,
  {{sqlVal "header.X-Tenant"}}::int AS tenant, {{if isSet "limit"}}true{{else}}false{{end}} AS sent,
  '{{defaultOrValue "state" "none"}}' AS again`,
  'p/mode.read.sql': `-- @param header.X-Mode text = slow
SELECT {{if isSet "header.X-Mode"}}true{{else}}false{{end}} AS sent,
  '{{defaultOrValue "header.X-Mode" "none"}}' AS mode, {{inFormat "header.X-Mode"}} AS listed,
  '{{defaultOrValue "header.X-Other" "none"}}' AS other,
  {{if isSet "header.Authorization"}}true{{else}}false{{end}} AS token`,
  'p/list.read.sql': `-- @param tag text[]
-- @param size integer[] = 1,2
SELECT {{sqlVal "tag"}}::text[] AS tags, {{range .tag}}'{{.}}', {{end}}
  {{sqlVal "size"}}::int[] AS sizes, 2 IN {{sqlList "size"}} AS two, '1' IN {{inFormat "size"}} AS one`,
  'p/header.read.sql': `-- @param header.X-Mode text = 'it''s'
-- @param header.X-Tag text[]
SELECT {{sqlVal "header.X-Mode"}} AS mode, {{sqlVal "header.X-Tag"}}::text[] AS tags`,
  'p/plain.read.sql': 'SELECT {{sqlVal "tag"}}::text AS tag',
  'p/strict.read.sql': `-- @strict
-- @param state text
SELECT {{sqlVal "customer"}}::text AS customer`,
  'p/strict-open.read.sql': `-- @strict
-- @param name text required
-- @param declared text
SELECT {{sqlVal .name}} AS v`,
  'p/pattern.read.sql': `-- @param code text maxlength=6 pattern=[A-Z]+-[0-9]{2,}
-- @param slow text pattern='(a|a)*(a*)*b'
SELECT {{sqlVal "code"}}::text AS code`,
};
const service = await startService(t, { database: postgres.url, scripts });

/** Values by type: those that are refused before PostgreSQL sees them, and those that it accepts. */
const VALUES: Readonly<Record<string, readonly [refused: string[], accepted: string[]]>> = {
  text: [[], ['', "it's; --", '日本']],
  integer: [['', 'x', '1.5', '2147483648', '-2147483649', '1e3', '0x10', ' 1'], ['-2147483648', '+7', '007']], // prettier-ignore
  bigint: [['9223372036854775808', '9'.repeat(2_000)], ['9223372036854775807', '-9223372036854775808']], // prettier-ignore
  numeric: [['', '.', 'e5', '1e', '1,5', '--1', '1e200000', 'x'], ['12345678901234567890.123', '1e400', '.5', '5.', '-0']], // prettier-ignore
  double: [
    ['1e400', '1e-400', 'NaNo'],
    ['1.5e300', '0', '0e999', '-2.5'],
  ],
  boolean: [
    ['', '2', 'maybe', 'o'],
    ['true', 'FALSE', 't', 'n', 'on', '0'],
  ],
  uuid: [['', 'x', '123e4567-e89b-12d3-a456-42661417400'], ['123E4567-e89b-12d3-a456-426614174000', '{123e4567e89b12d3a456426614174000}']], // prettier-ignore
  date: [['', '2026-02-30', '2025-02-29', '2026-13-01', '26-01-01', '2026/01/01'], ['2024-02-29', '0001-01-01', '10000-01-01']], // prettier-ignore
  time: [
    ['', '25:00', '12', '12:60', '24:00:01'],
    ['12:00', '23:59:59.123456', '24:00'],
  ],
  timestamp: [['', '2026-01-01T25:00', '2026-01-01x'], ['2026-01-01', '2026-01-01T12:00', '2026-01-01 12:00:00.5Z']], // prettier-ignore
  timestamptz: [['', '2026-01-01T12:00:00+99'], ['2026-01-01T12:00:00Z', '2026-01-01 12:00+02:00', '2026-01-01T12:00:00-0530']], // prettier-ignore
  interval: [['', 'x', '1 foo', 'P', 'PT', '1 day x'], ['1 day', '1 day 02:03', 'P1DT2H', '-3 hours', '2 weeks 1 second', '90 min ago']], // prettier-ignore
  json: [
    ['', '{', "{'a':1}", 'NaN'],
    ['null', '{"a":[1,2]}', '"x"'],
  ],
};

t.test('types', async (t) => {
  for (const type of TYPES) {
    const [refused, accepted] = VALUES[type]!;
    const target = (v: string): string => `type/${type}?v=${encodeURIComponent(v)}`;
    for (const v of refused)
      t.equal(await service.error(target(v)), '400 invalid_parameter', `${type} ${v}`.slice(0, 60));
    for (const v of accepted) t.equal((await service.ask(target(v))).status, 200, `${type} ${v}`);
    t.equal(await service.error(`type/${type}`), '400 invalid_parameter', `${type}, missing`);
  }
});

t.test('all wrong parameters are named at once, and never their values', async (t) => {
  const { status, json, text } = await service.ask('p/page?limit=hush&from=2031-01-01&state=hush');
  t.equal(status, 400);
  t.same(json, {
    error:
      'invalid parameters: limit must be an integer from 1 to 100; from must be a date (YYYY-MM-DD) up to 2030-12-31; state must be one of open, closed; header.X-Tenant is missing, expected an integer',
    code: 'invalid_parameter',
    parameter: 'limit',
    parameters: [
      { parameter: 'limit', expected: 'an integer from 1 to 100' },
      { parameter: 'from', expected: 'a date (YYYY-MM-DD) up to 2030-12-31' },
      { parameter: 'state', expected: 'one of open, closed' },
      { parameter: 'header.X-Tenant', expected: 'an integer' },
    ],
  });
  t.notMatch(text, 'hush');
  const headers = { 'x-tenant': '7' };
  t.match(await service.ask('p/page?limit=1&limit=2', { headers }), {
    json: {
      error: 'invalid parameter: limit has several values, expected an integer from 1 to 100',
      parameters: [{ parameter: 'limit', expected: 'an integer from 1 to 100' }],
    },
  });
  for (const query of ['limit=0', 'limit=101', 'limit=1&limit=2', 'limit=', 'state=Open'])
    t.equal(await service.error(`p/page?${query}`, { headers }), '400 invalid_parameter', query);
  t.match(await service.ask('p/page?limit=0&_renderer=xml', { headers }), {
    status: 400,
    text: '<objects><error>invalid parameter: limit must be an integer from 1 to 100</error><code>invalid_parameter</code><parameter>limit</parameter></objects>',
  });
});

t.test('defaults', async (t) => {
  const headers = { 'x-tenant': '7' };
  const first = { limit: 10, from: null, state: 'open', tenant: 7, sent: false, again: 'open' };
  t.same(await service.rows('p/page', { headers }), [first]);
  t.same(await service.rows('p/page?limit=3&state=closed', { headers }), [
    { ...first, limit: 3, state: 'closed', sent: true, again: 'closed' },
  ]);
});

t.test('lists', async (t) => {
  t.same(await service.rows('p/list?tag=a&size=2'), [
    { tags: ['a'], '?column?': 'a', sizes: [2], two: true, one: false },
  ]);
  t.same(await service.rows('p/list'), [{ tags: null, sizes: [1, 2], two: true, one: true }]);
  t.match(await service.ask('p/list?size=1&size=x'), {
    status: 400,
    json: { parameters: [{ parameter: 'size', expected: 'one or more values, each an integer' }] },
  });
  t.same(await service.rows('p/plain?tag=a'), [{ tag: 'a' }]);
});

t.test('headers', async (t) => {
  t.same(await service.rows('p/header', { headers: { 'x-tag': 'a' } }), [
    { mode: "it''s", tags: ['a'] },
  ]);
  t.same(await service.rows('p/header', { headers: { 'x-mode': 'b' } }), [
    { mode: 'b', tags: null },
  ]);
});

t.test('headers by the name of a parameter', async (t) => {
  const none = { sent: false, mode: 'slow', listed: 'slow', other: 'none', token: false };
  t.same(await service.rows('p/mode', { headers: { authorization: 'Bearer x' } }), [none]);
  const headers = { 'x-mode': 'fast', 'x-other': 'yes' };
  const query = 'header.X-Mode=query&header.X-Other=query';
  t.same(await service.rows(`p/mode?${query}`), [none]);
  t.same(await service.rows(`p/mode?${query}`, { headers }), [
    { ...none, sent: true, mode: 'fast', listed: 'fast', other: 'yes' },
  ]);
  const refused = { headers: { 'x-mode': "x' OR 1=1 --" } };
  t.same(await service.rows('p/mode', refused), [{ ...none, sent: true, mode: '', listed: '' }]);
});

t.test('patterns', async (t) => {
  t.equal((await service.ask('p/pattern?code=AB-12')).status, 200);
  for (const query of ['code=AB-1', 'code=xAB-12', 'code=AB-1234', `slow=${'a'.repeat(9_000)}`])
    t.equal(await service.error(`p/pattern?${query}`), '400 invalid_parameter', query.slice(0, 20));
});

t.test('unknown parameters', async (t) => {
  t.match(await service.ask('p/strict?custmer=1&stat=2&customer=3'), {
    status: 400,
    json: {
      error: 'unknown parameters: custmer (did you mean customer?), stat (did you mean state?)',
      code: 'unknown_parameter',
      parameter: 'custmer',
      parameters: [
        { parameter: 'custmer', nearest: 'customer' },
        { parameter: 'stat', nearest: 'state' },
      ],
    },
  });
  t.match(await service.ask('p/strict?nope=1&satte=2'), {
    json: {
      error: 'unknown parameters: nope, satte (did you mean state?)',
      parameters: [{ parameter: 'nope', nearest: undefined }, { parameter: 'satte' }],
    },
  });
  for (const query of ['customer=1', 'state=x', '_page=1&_page_size=3&_renderer=json', ''])
    t.equal((await service.ask(`p/strict?${query}`)).status, 200, query);
  for (const query of ['header=1', '__proto__=1', 'constructor=1', `${'x'.repeat(9_000)}=1`])
    t.equal(await service.error(`p/strict?${query}`), '400 unknown_parameter', query.slice(0, 20));
  const many = Array.from({ length: 999 }, (_, i) => `a${i}=1`).join('&');
  t.match((await service.ask(`p/strict?${many}`)).json, { error: /, a19 and 979 more$/ });
  t.equal((await service.ask('p/strict-open?name=declared&declared=1')).status, 200);
  t.equal(await service.error('p/strict-open?name=other&other=1'), '400 unknown_parameter');
  t.equal((await service.ask('p/plain?what=1')).status, 200);
});
