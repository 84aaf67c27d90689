/** Results of proved scripts in a client of the official library, which checks them by the schema of the tool. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { RpcError, type Tools } from '#app/mcp/arguments/tool.js';
import { TestDatabase } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { callOf, EndpointUnderTest } from '../fixed-tools.js';
import { proofOf, proofsOf, servedProof } from '../prove-scripts.js';
import { TestedScripts } from '../tested-scripts.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL, note jsonb);
    INSERT INTO items SELECT i, 'item ' || i FROM generate_series(1, 150) i`,
});
const { database } = new TestDatabase(t, server);

const TEXTS: Readonly<Record<string, string>> = {
  's/one': 'SELECT * FROM items WHERE id = {{sqlVal "id"}}',
  's/either':
    'SELECT id FROM items WHERE {{if isSet "id"}}id = {{sqlVal "id"}}{{else}}name = {{sqlVal "name"}}{{end}}',
  's/all': 'SELECT * FROM items',
  's/numbers':
    "SELECT 'NaN'::numeric AS nan, 9007199254740993 AS big, repeat('9', 400)::numeric AS huge",
};

/** A transport of the official library to an endpoint in this process. */
function transportTo(scripts: TestedScripts): Transport {
  const tools: Tools = {
    page: async (call) => ({ tools: await scripts.tools.list(call), next: undefined }),
    run: async (call, name, args) => {
      const outcome = await scripts.tools.run(call, name, args);
      if (outcome === undefined) throw new RpcError(-32602, 'unknown tool');
      return outcome;
    },
  };
  const { endpoint } = new EndpointUnderTest(tools);
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: async (message: JSONRPCMessage) => {
      const { body } = await endpoint.respond(callOf(message));
      if (body !== '') transport.onmessage?.(JSON.parse(body) as JSONRPCMessage);
    },
  };
  return transport;
}

async function connected(t: Test, scripts: TestedScripts): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  t.teardown(() => client.close());
  await client.connect(transportTo(scripts));
  return client;
}

t.test('results that their schema allows', async (t) => {
  const scripts = new TestedScripts(t, server, { texts: TEXTS });
  const proofs = await proofsOf(database, TEXTS);
  scripts.proofs.apply({ proofs, gone: [], complete: true });
  const client = await connected(t, scripts);
  const { tools } = await client.listTools();
  t.ok(tools.every(({ outputSchema }) => outputSchema !== undefined));
  const call = (script: string, args: Record<string, unknown>) =>
    client.callTool({ name: `service.script.main.s.${script}`, arguments: args });
  t.match(await call('either', { id: 3 }), { structuredContent: { rows: [{ id: 3 }], count: 1 } });
  t.match(await call('either', { name: 'none' }), { structuredContent: { rows: [], count: 0 } });
  t.match(await call('all', {}), { structuredContent: { count: 100, truncated: true } });
  t.match(await call('numbers', {}), { structuredContent: { rows: [{ nan: 'NaN' }] } });
  t.match(await call('one', {}), { isError: true });
});

t.test('a result that its schema does not allow', async (t) => {
  const texts = { 's/wrong': "SELECT 'one' AS id" };
  const scripts = new TestedScripts(t, server, { texts });
  const record = await proofOf(database, 'SELECT 1 AS id');
  const wrong = servedProof('s/wrong', texts['s/wrong'], record);
  scripts.proofs.apply({ proofs: [wrong], gone: [], complete: true });
  const client = await connected(t, scripts);
  await client.listTools();
  const call = client.callTool({ name: 'service.script.main.s.wrong', arguments: {} });
  await t.rejects(call, /does not match the tool's output schema/, 'so the schema was looked at');
});
