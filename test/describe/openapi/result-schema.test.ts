/** Schemas of values in results. */
import t from 'tap';
import { resultSchema } from '#app/describe/openapi/result-schema.js';

const NAN = 'NaN and infinite values are strings.';

const CASES: readonly (readonly [type: string, schema: object])[] = [
  ['integer', { type: 'integer', format: 'int32' }],
  ['real', { type: ['number', 'string'], format: 'float', description: NAN }],
  ['double precision', { type: ['number', 'string'], format: 'double', description: NAN }],
  ['numeric', { type: 'number', description: `JavaScript keeps 15 digits. ${NAN}` }],
  ['timestamp with time zone', { type: 'string', format: 'date-time' }],
  ['time without time zone', { type: 'string', description: 'SQL type time without time zone.' }],
  ['text', { type: 'string' }],
  ['citext', { type: 'string', description: 'SQL type citext.' }],
  ['jsonb', {}],
  ['record', { type: 'object' }],
  ['mood', { description: 'SQL type mood.' }],
  ['int2vector', { description: 'SQL type int2vector.' }],
];

for (const [type, schema] of CASES)
  t.test(type, (t) => {
    t.strictSame(resultSchema(type), schema);
    t.end();
  });

t.test('double precision[]', (t) => {
  t.strictSame(resultSchema('double precision[]'), {
    type: 'array',
    items: { type: ['number', 'string', 'null'], format: 'double', description: NAN },
  });
  t.end();
});
