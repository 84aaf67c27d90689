/** Schemas of what callers send: from `@param`, or from what the template does with a parameter. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { describeScript } from '#app/describe/openapi/describe.js';
import { compileText } from '#app/script/script-text.js';
import type { Verb } from '#app/script/verb.js';

/** The parameters of a script by name, and the schemas of its bodies, as described from its template. */
function inputs(text: string, verb: Verb = 'read'): Record<string, unknown> {
  const compiled = compileText(text, 'shop/list', verb);
  if (compiled instanceof ServiceError) throw compiled;
  const script = {
    alias: undefined,
    folder: 'shop',
    name: 'list',
    text: compiled,
    proof: undefined,
    paths: [],
    isNamed: true,
  };
  const { operations, schemas } = describeScript(script, false);
  const { parameters } = operations[0]!.description as { parameters: { name?: string }[] };
  const own = parameters.filter(({ name }) => name !== undefined);
  const entries = own.map(({ name, ...rest }): [string, object] => [name!, rest]);
  return { ...Object.fromEntries(entries), ...schemas };
}

const query = (schema: object, more: object = {}): object => ({ in: 'query', ...more, schema });

const CASES: readonly (readonly [parameter: string, expected: object])[] = [
  ['p text', query({ type: 'string' })],
  [
    'p integer required min=1 max=9',
    query({ type: 'integer', format: 'int32', minimum: 1, maximum: 9 }, { required: true }),
  ],
  [
    'p integer = 5 How many.',
    query({ type: 'integer', format: 'int32', default: 5 }, { description: 'How many.' }),
  ],
  [
    'p bigint min=9007199254740993',
    query({ type: 'integer', format: 'int64' }, { description: 'At least 9007199254740993.' }),
  ],
  [
    'p bigint = 9007199254740993',
    query({ type: 'integer', format: 'int64' }, { description: 'Default: 9007199254740993.' }),
  ],
  ['p numeric min=-0.5', query({ type: 'number', minimum: -0.5 })],
  ['p double', query({ type: 'number', format: 'double' })],
  ['p boolean = true', query({ type: 'boolean', default: true })],
  ['p boolean = on', query({ type: 'boolean' }, { description: 'Default: on.' })],
  ['p uuid', query({ type: 'string', format: 'uuid' })],
  [
    'p date max=2024-01-01',
    query({ type: 'string', format: 'date' }, { description: 'At most 2024-01-01.' }),
  ],
  ['p timestamptz', query({ type: 'string', format: 'date-time' })],
  [
    'p timestamp',
    query({ type: 'string' }, { description: 'SQL type timestamp without time zone.' }),
  ],
  ['p json', query({ type: 'string', contentMediaType: 'application/json' })],
  [
    'p enum(a, b)[] = a,b',
    query(
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a', 'b'] },
      { style: 'form', explode: true },
    ),
  ],
  [
    'p text minlength=2 maxlength=3 pattern=[a-z]+',
    query({ type: 'string', minLength: 2, maxLength: 3, pattern: '^(?:[a-z]+)$' }),
  ],
  [
    'p text pattern=(?i)a',
    query({ type: 'string' }, { description: 'The whole text matches (?i)a (RE2).' }),
  ],
  [
    'p text pattern=[[:alpha:]]',
    query({ type: 'string' }, { description: 'The whole text matches [[:alpha:]] (RE2).' }),
  ],
];

t.test('declared', (t) => {
  for (const [parameter, expected] of CASES)
    t.strictSame(inputs(`-- @param ${parameter}\nSELECT 1`)['p'], expected, parameter);
  t.strictSame(inputs('-- @param header.x-size integer[]\nSELECT 1')['X-Size'], {
    in: 'header',
    schema: { type: 'integer', format: 'int32' },
  });
  t.end();
});

t.test('of the template', (t) => {
  const cases: [text: string, expected: object | undefined][] = [
    ['{{sqlVal "p"}}::int', query({ type: 'integer', format: 'int32' })],
    ['{{sqlVal "p"}}::pg_catalog.varchar(5)', query({ type: 'string' })],
    [
      '{{ident "p"}}',
      query(
        {
          type: 'string',
          pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})*$',
        },
        { required: true },
      ),
    ],
    ['1 {{limitOffset ._page "5"}}', undefined],
    [
      '{{if isSet "p"}}1{{else}}2{{end}}',
      query({ type: 'string' }, { description: 'Only whether it is sent matters.' }),
    ],
    [
      '{{if eq .p "a" "b"}}1{{else}}2{{end}}',
      query({ type: 'string' }, { description: 'Values with a meaning: "a", "b".' }),
    ],
    ['{{defaultOrValue "p" "x"}}', query({ type: 'string', default: 'x' })],
    ['{{sqlVal "claims.p"}}', undefined],
    ['{{sqlVal "header.Cookie"}}', undefined],
  ];
  for (const [text, expected] of cases) {
    const found = inputs(`SELECT ${text}`);
    t.strictSame(found['p'], expected, text);
    t.notOk('Cookie' in found);
  }
  t.strictSame(
    inputs('SELECT 1 {{limitOffset ._page "5"}}')['_page'],
    query({ type: 'integer', default: 1 }, { description: 'The page, from 1 on.' }),
  );
  t.end();
});

t.test('bodies', (t) => {
  const found = inputs(
    '-- @param body.at.city text required\n-- @param body.big bigint\n-- @param body.j json[]\nINSERT INTO t VALUES ({{sqlVal "body.at.city"}}, {{sqlVal "body.big"}}, {{sqlVal "body.j"}}, {{sqlVal "body.f"}}::bytea, {{sqlVal "body.f.filename"}})',
    'write',
  );
  const big = { type: ['integer', 'string'], format: 'int64' };
  t.strictSame(found['write_shop_list.body'], {
    type: 'object',
    properties: {
      at: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      big,
      f: { type: 'string', description: 'SQL type bytea.' },
      'f.filename': { type: 'string' },
      j: { type: 'array', items: {} },
    },
    required: ['at'],
  });
  t.match(found['write_shop_list.form2'], {
    properties: { 'at.city': {}, f: { contentMediaType: 'application/octet-stream' } },
    required: ['at.city'],
  });
  const { properties } = found['write_shop_list.form2'] as { properties: object };
  t.notOk('f.filename' in properties, 'the name of a file is not a field');
  t.end();
});
