/** Scripts with a head as tools: their schema, the check of arguments, defaults. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { TestedScripts } from '../tested-scripts.js';

const server = await startPostgres(t);
const scripts = new TestedScripts(t, server, {
  texts: {
    'p/all': `-- Rows of a kind.
-- @strict
-- @one
-- @param kind enum(a, b) required The kind
-- @param limit integer min=1 max=9 = 3
-- @param tag text[]
-- @param declared boolean
-- @param header.X-Mode text
-- @param body.part text
SELECT {{sqlVal "kind"}}::text AS kind, {{sqlVal "limit"}}::int AS "limit", {{sqlVal "tag"}}::text[] AS tag`,
    'p/limit': `-- @timeout 7s\nSELECT current_setting('statement_timeout') AS "limit"`,
    'p/none': 'SELECT current_setting(\'statement_timeout\') AS "limit"',
  },
});

t.test('the entry', async (t) => {
  const { description, inputSchema } = await scripts.entry('p/all');
  t.match(description, /^Rows of a kind\. Database/);
  t.same(inputSchema, {
    type: 'object',
    properties: {
      kind: {
        type: 'string',
        enum: ['a', 'b'],
        description: 'The kind. Must be one of a, b.',
      },
      limit: { type: 'integer', description: 'Must be an integer from 1 to 9.', default: 3 },
      tag: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Must be one or more values, each a text.',
      },
      declared: { type: 'boolean', description: 'Must be true or false.' },
    },
    required: ['kind'],
    additionalProperties: false,
  });
});

t.test('calls', async (t) => {
  t.equal(
    await scripts.run('p/all', { kind: 'c', limit: 10 }),
    'error: invalid parameters: kind must be one of a, b; limit must be an integer from 1 to 9',
  );
  t.match(await scripts.run('p/all', { limit: 1 }), /^error: missing: kind/);
  t.match(await scripts.run('p/all', { kind: 'a', other: 1 }), /^error: .*other/);
  t.equal(
    await scripts.run('p/all', { kind: 'a', tag: ['x'] }),
    '{"rows":[{"kind":"a","limit":3,"tag":["x"]}],"count":1}',
  );
});

t.test('the time limit', async (t) => {
  t.equal(await scripts.run('p/limit', {}), '{"rows":[{"limit":"7s"}],"count":1}');
  t.equal(await scripts.run('p/none', {}), '{"rows":[{"limit":"20s"}],"count":1}');
});
