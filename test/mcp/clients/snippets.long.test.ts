/**
 * The configurations and commands of docs/mcp.md do what they say: each is run as it stands there, with an address and a
 * token of this test in the place of its own, and with an npx that starts what was built instead of what is published.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { userToken } from '../../support/tokens.js';
import { commandOf, runCommand, temporaryFolder } from './program.js';
import { guardedEndpoint, openEndpoint, startShop } from './shop.js';

// From dist-test/test/mcp/clients to the project.
const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where the guide has a token. */
const TOKEN = /(Bearer |SERVICE_MCP_TOKEN(?:=|": *"))(?:\$\{[^}]*\}|[^\s"']+)/g;

const guide = fs.readFileSync(path.join(PROJECT, 'docs/mcp.md'), 'utf8');
const shop = await startShop(t);
const open = await openEndpoint(t, shop);
const guarded = await guardedEndpoint(t, shop);
const token = userToken('ann');
const folder = temporaryFolder(t);
const searched = `${commands(folder)}:${process.env['PATH']!}`;

/** One server in the configuration of a client: a command to start, or an address. */
interface Server {
  readonly command?: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

interface ClientConfiguration {
  readonly mcpServers?: Readonly<Record<string, Server>>;
  readonly servers?: Readonly<Record<string, Server>>;
}

/** A folder with npx and the commands that the packages have, as they would be found after an installation. */
function commands(parent: string): string {
  const { bin } = JSON.parse(fs.readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  const started: Readonly<Record<string, readonly [string, string]>> = {
    'sql-rest-service-mcp': [process.execPath, path.join(PROJECT, bin['sql-rest-service-mcp']!)],
    'mcp-inspector': commandOf('inspector'),
  };
  const folder = fs.mkdtempSync(path.join(parent, 'commands-'));
  const write = (name: string, lines: readonly string[]): void =>
    fs.writeFileSync(path.join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'), {
      mode: 0o755,
    });
  for (const [name, [program, script]] of Object.entries(started)) {
    write(name, [`exec "${program}" "${script}" "$@"`]);
  }
  write('npx', [
    'while :; do',
    '  case "$1" in -y | --yes) shift ;; -p | --package) shift 2 ;; *) break ;; esac',
    'done',
    'name=$1 && shift',
    'case "$name" in @modelcontextprotocol/inspector*) name=mcp-inspector ;; esac',
    `exec "${folder}/$name" "$@"`,
  ]);
  return folder;
}

/**
 * What is fenced as one of the languages, with the address and a token of this test: of the guarded service where there is
 * a token, else of the open one.
 */
function fenced(languages: string): readonly string[] {
  const blocks = guide.matchAll(new RegExp(`^ *\`\`\`(?:${languages})\\n(.*?)^ *\`\`\`$`, 'gms'));
  return [...blocks].map(([, text]) => {
    const { origin } = new URL(text!.search(TOKEN) < 0 ? open : guarded);
    return text!.replace(/https?:\/\/[^\s"'/]+/g, origin).replace(TOKEN, `$1${token}`);
  });
}

async function reads(t: Test, server: Server): Promise<void> {
  const { command, args = [], env = {} } = server;
  const transport =
    command === undefined
      ? new StreamableHTTPClientTransport(new URL(server.url!), {
          requestInit: { headers: server.headers ?? {} },
        })
      : new StdioClientTransport({
          command,
          args,
          env: { PATH: searched, HOME: folder, ...env },
          stderr: 'ignore',
        });
  const client = new Client({ name: 'test', version: '1' });
  t.teardown(() => client.close());
  await client.connect(transport);
  const select = { schema: 'public', table: 'orders', filters: { id: 5 } };
  const rows = await client.callTool({ name: 'service.select_table', arguments: select });
  t.match(rows, { structuredContent: { rows: [{ id: 5 }] } });
}

const configurations = fenced('json|jsonc')
  .filter((text) => /"(?:mcpServers|servers)"/.test(text))
  .map((text) => JSON.parse(text) as ClientConfiguration);

for (const [member, kind] of [
  ['mcpServers', 'Claude Desktop'],
  ['servers', 'VS Code'],
] as const) {
  t.test(`the configuration of ${kind}`, async (t) => {
    const servers = configurations.flatMap((one) => Object.values(one[member] ?? {}));
    t.ok(servers.length > 0, 'there is one');
    for (const server of servers) {
      if (server.command === 'npx')
        t.match(server.args, ['-y', '-p', /^\/.*\.tgz$/], 'npx runs a file, not a free name');
      await reads(t, server);
    }
  });
}

t.test('the commands of the Inspector', async (t) => {
  const lines = fenced('sh|bash|console')
    .flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => /\binspector\b/.test(line));
  t.ok(lines.length > 0, 'there are some');
  for (const line of lines) {
    t.match(line, / --cli /, 'it needs no browser');
    const { code, stdout, stderr } = await runCommand('/bin/sh', ['-c', line], folder, searched);
    t.equal(code, 0, stderr);
    t.match(stdout, /"select_table"/, 'it prints what the service has');
  }
});
