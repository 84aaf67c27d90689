/** Self-description of the endpoint: the document for GET, with the tools of all pages, and instructions for models. */
import t from 'tap';
import { instructionsFor } from '#app/mcp/protocol/discovery.js';
import { EndpointUnderTest } from '../fixed-tools.js';

const asked = new EndpointUnderTest();

t.test('GET and HEAD', async (t) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, body } = await asked.ask('', {}, method);
    t.equal(status, 200);
    const { description, ...rest } = body;
    t.match(description, /PostgreSQL/);
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    t.same(rest, {
      name: 'service',
      protocol: '0.1',
      protocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      endpoint: '/api/_mcp',
      tools: ['echo', 'fail', 'hidden'].map(tool),
      capabilities: {
        tools: { listChanged: false },
        resources: { subscribe: false, listChanged: false },
      },
    });
  }
});

t.test('instructions do not name hidden listings', (t) => {
  const told = (databases: boolean, schemas: boolean, tables: boolean) =>
    [...instructionsFor({ databases, schemas, tables }, 'plain').matchAll(/[\w.]*list_\w+/g)]
      .map(String)
      .join(' ');
  t.equal(told(true, true, true), 'list_tables list_databases list_schemas');
  t.equal(told(false, true, true), 'list_tables list_schemas');
  t.equal(told(false, false, true), 'list_tables');
  t.equal(told(true, true, false), '');
  const dotted = instructionsFor({ databases: true, schemas: true, tables: true }, 'dotted');
  t.match(dotted, /service\.list_tables .*service\.describe_table/);
  t.notMatch(dotted, /[^.]list_tables/, 'names as the client sees them');
  const plain = instructionsFor({ databases: true, schemas: true, tables: true }, 'plain');
  for (const { length } of [dotted, plain]) t.ok(length <= 800, `${length} characters: 200 tokens`);
  t.end();
});
