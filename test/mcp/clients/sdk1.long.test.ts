/**
 * Clients made with version 1 of the official library, over HTTP and over the adapter: today's desktop clients and editors
 * are built on it.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { EmptyResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { userToken } from '../../support/tokens.js';
import {
  readsDescriptions,
  readsItsShare,
  readsTheShop,
  type Reader,
  type Result,
} from './reader.js';
import { adapterFor, guardedEndpoint, openEndpoint, startShop } from './shop.js';

const shop = await startShop(t);
const open = await openEndpoint(t, shop);
const guarded = await guardedEndpoint(t, shop);
const token = userToken('ann');

/** Session is a client with what went wrong besides its requests. */
interface Session extends Reader {
  readonly client: Client;
  readonly errors: Error[];
}

async function connect(t: Test, transport: Transport): Promise<Session> {
  const client = new Client({ name: 'test', version: '1' });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  t.teardown(() => client.close());
  await client.connect(transport);
  return {
    client,
    errors,
    tools: async () => {
      const tools = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      }
      return tools;
    },
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
    resources: async () => {
      const resources = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await client.listResources(cursor === undefined ? {} : { cursor });
        resources.push(...page.resources);
        cursor = page.nextCursor;
      }
      return resources;
    },
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    read: async (uri) => (await client.readResource({ uri })).contents,
  };
}

function http(t: Test, url: string, bearer?: string): Promise<Session> {
  const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};
  return connect(t, new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

function stdio(t: Test, url: string, bearer?: string): Promise<Session> {
  return connect(t, new StdioClientTransport(adapterFor(url, bearer)));
}

for (const [name, to] of Object.entries({ http, stdio })) {
  t.test(
    `over ${name}: connecting, ping, tools, rows, mistakes, megabytes, resources`,
    async (t) => {
      const session = await to(t, open);
      const { client } = session;
      t.match(client.getServerVersion(), { name: 'service', version: /^\d+\.\d+\.\d+$/ });
      t.match(client.getServerCapabilities(), {
        tools: { listChanged: false },
        resources: { subscribe: false, listChanged: false },
      });
      t.type(client.getInstructions(), 'string');
      t.strictSame(await client.ping(), {});
      await readsTheShop(t, session);
      await readsDescriptions(t, session);
      t.strictSame(session.errors, []);
    },
  );

  t.test(`over ${name}: errors of the protocol arrive as such`, async (t) => {
    const session = await to(t, open);
    const unknownMethod = session.client.request({ method: 'nothing' }, EmptyResultSchema);
    await t.rejects(unknownMethod, { name: 'McpError', code: -32601 });
    await t.rejects(session.call('service.nothing'), { name: 'McpError', code: -32602 });
    await t.rejects(session.client.listTools({ cursor: 'nowhere' }), { code: -32602 });
    await t.rejects(session.client.listResources({ cursor: 'nowhere' }), { code: -32602 });
    const uri = 'service://postgres/public/nothing';
    await t.rejects(session.read(uri), { name: 'McpError', code: -32002, data: { uri } });
    t.strictSame(await session.client.ping(), {}, 'and the connection is as good as before');
  });

  t.test(`over ${name}: with a token`, async (t) => {
    const session = await to(t, guarded, token);
    await readsItsShare(t, session);
  });

  t.test(`over ${name}: many calls at once`, async (t) => {
    const session = await to(t, open);
    const rows = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        session.call('service.select.postgres.public.orders', { filters: { id: i + 1 } }),
      ),
    );
    t.ok(
      rows.every(({ structuredContent }, i) => {
        const { rows } = structuredContent as { rows: { id: number }[] };
        return rows.length === 1 && rows[0]!.id === i + 1;
      }),
    );
  });
}

t.test('without a token, over http: the library hears 401', async (t) => {
  await t.rejects(http(t, guarded), { name: 'Error', code: 401 });
});

t.test('without a token, over stdio: the error says what to set', async (t) => {
  await t.rejects(stdio(t, guarded), { code: -32603, message: /SERVICE_MCP_TOKEN/ });
});

t.test('a hidden listing is refused', async (t) => {
  const overHttp = await http(t, guarded, token);
  const refusal = await overHttp.call('service.list_databases').catch((error: unknown) => error);
  t.ok(refusal instanceof StreamableHTTPError, 'its status is 400, which this library takes first');
  t.match(refusal, { code: 400, message: /"code":400,"message":"unauthorized listing"/ });
  const overStdio = await stdio(t, guarded, token);
  const error = await overStdio.call('service.list_databases').catch((error: unknown) => error);
  t.ok(error instanceof McpError);
  t.match(error, { code: 400, message: /unauthorized listing/ });
});
