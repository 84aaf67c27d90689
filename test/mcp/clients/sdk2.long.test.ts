/**
 * Clients made with version 2 of the official library, over HTTP and over the adapter, in both protocol eras: found out by
 * asking the server, and held to the older one.
 */
import {
  Client,
  ProtocolError,
  ResourceNotFoundError,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Transport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import t, { type Test } from 'tap';
import { userToken } from '../../support/tokens.js';
import { readsDescriptions, readsItsShare, readsTheShop, type Reader } from './reader.js';
import { adapterFor, guardedEndpoint, openEndpoint, startShop } from './shop.js';

const shop = await startShop(t);
const open = await openEndpoint(t, shop);
const guarded = await guardedEndpoint(t, shop);
const token = userToken('ann');

interface Session extends Reader {
  readonly client: Client;
  readonly errors: Error[];
}

type Mode = NonNullable<VersionNegotiationOptions['mode']>;

async function connect(t: Test, transport: Transport, options: ClientOptions): Promise<Session> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  t.teardown(() => client.close());
  await client.connect(transport);
  return {
    client,
    errors,
    tools: async () => (await client.listTools()).tools,
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    resources: async () => (await client.listResources()).resources,
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    read: async (uri) => (await client.readResource({ uri })).contents,
  };
}

function http(t: Test, url: string, options: ClientOptions, bearer?: string): Promise<Session> {
  const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {};
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return connect(t, transport, options);
}

function stdio(t: Test, url: string, options: ClientOptions, bearer?: string): Promise<Session> {
  return connect(t, new StdioClientTransport(adapterFor(url, bearer)), options);
}

const speaking = (mode: Mode): ClientOptions => ({ versionNegotiation: { mode } });

const MODES: readonly (readonly [Mode, 'modern' | 'legacy', string])[] = [
  ['auto', 'modern', '2026-07-28'],
  [{ pin: '2026-07-28' }, 'modern', '2026-07-28'],
  ['legacy', 'legacy', '2025-11-25'],
];

/** What the library makes of a refusal: of the status, of the adapter's error, or of an era that nobody offered. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  http: /HTTP 401|authorization token is empty/,
  stdio: /SERVICE_MCP_TOKEN|did not offer pinned/,
};

for (const [name, to] of Object.entries({ http, stdio })) {
  for (const [mode, era, version] of MODES) {
    const title = `over ${name}, ${typeof mode === 'object' ? 'pinned' : mode}`;
    t.test(`${title}: connecting, tools, rows, mistakes, megabytes, resources`, async (t) => {
      const session = await to(t, open, speaking(mode));
      const { client } = session;
      t.equal(client.getProtocolEra(), era);
      t.equal(client.getNegotiatedProtocolVersion(), version);
      t.match(client.getServerVersion(), { name: 'service', version: /^\d+\.\d+\.\d+$/ });
      t.match(client.getServerCapabilities(), {
        tools: { listChanged: false },
        resources: { subscribe: false, listChanged: false },
      });
      t.type(client.getInstructions(), 'string');
      if (era === 'legacy') t.strictSame(await client.ping(), {});
      await readsTheShop(t, session);
      await readsDescriptions(t, session);
      t.strictSame(session.errors, []);
    });

    t.test(`${title}: an unknown tool is an error of the protocol`, async (t) => {
      const session = await to(t, open, speaking(mode));
      await t.rejects(session.call('service.nothing'), { name: 'ProtocolError', code: -32602 });
      // Its header is a name in another encoding, which the service has to read.
      await t.rejects(session.call('service.€'), { name: 'ProtocolError', code: -32602 });
      t.ok((await session.call('service.list_databases')).structuredContent);
    });

    t.test(`${title}: an unknown resource is the library's error for it`, async (t) => {
      const session = await to(t, open, speaking(mode));
      for (const uri of ['service://postgres/public/nothing', 'service://postgres/public/€']) {
        const error = await session.read(uri).catch((error: unknown) => error);
        t.ok(error instanceof ResourceNotFoundError);
        t.match(error, { uri });
      }
    });

    t.test(`${title}: with a token`, async (t) => {
      const session = await to(t, guarded, speaking(mode), token);
      t.equal(session.client.getProtocolEra(), era);
      await readsItsShare(t, session);
    });
  }

  t.test(`over ${name}, without a token: connecting fails`, async (t) => {
    for (const [mode] of MODES)
      await t.rejects(to(t, guarded, speaking(mode)), { message: REFUSED[name]! });
  });
}

for (const [name, to] of Object.entries({ http, stdio })) {
  t.test(`over ${name}: older versions of the protocol`, async (t) => {
    for (const version of ['2025-06-18', '2025-03-26', '2024-11-05']) {
      const session = await to(t, open, { supportedProtocolVersions: [version] });
      t.equal(session.client.getNegotiatedProtocolVersion(), version);
      t.ok((await session.call('service.list_databases')).structuredContent, version);
    }
    const older = to(t, open, { supportedProtocolVersions: ['2024-10-07'] });
    await t.rejects(older, { message: /not supported: 2025-11-25/ });
  });
}

t.test('a hidden listing is refused with an error of the protocol', async (t) => {
  const session = await http(t, guarded, speaking('auto'), token);
  const error = await session.call('service.list_databases').catch((error: unknown) => error);
  t.ok(error instanceof ProtocolError);
  t.match(error, { code: 400, message: /unauthorized listing/ });
});

t.test('a call that is given up leaves the connection as good as before', async (t) => {
  const session = await http(t, open, speaking('auto'));
  const giveUp = new AbortController();
  const call = session.client.callTool(
    { name: 'service.select.postgres.public.notes', arguments: {} },
    { signal: giveUp.signal },
  );
  giveUp.abort(new Error('enough'));
  await t.rejects(call);
  t.ok((await session.call('service.list_databases')).structuredContent);
});
