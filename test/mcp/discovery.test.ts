/** GET: what the endpoint says of itself, with the tools of all pages. */
import t from 'tap';
import { Asked } from './fixed-tools.js';

const asked = new Asked();

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
      capabilities: { tools: { listChanged: false } },
    });
  }
});
