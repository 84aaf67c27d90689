/**
 * The Inspector's command line, with which people try a server out: in both protocol eras, over HTTP and over the adapter.
 * Its strict mode finds schemas of tools that some clients could not use.
 */
import t from 'tap';
import { userToken } from '../../support/tokens.js';
import { run, temporaryFolder, type Ended } from './program.js';
import { adapterFor, guardedEndpoint, openEndpoint, startShop } from './shop.js';

const shop = await startShop(t);
const open = await openEndpoint(t, shop);
const guarded = await guardedEndpoint(t, shop);
const token = userToken('ann');
const folder = temporaryFolder(t);

/** What the Inspector exits with. */
const AUTHORIZATION_NEEDED = 3;
const TOOL_ERROR = 5;

type Target = (url: string, token?: string) => readonly string[];

const TARGETS: Readonly<Record<string, Target>> = {
  http: (url, token) => [
    ...['--server-url', url, '--transport', 'http'],
    ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]),
  ],
  stdio: (url, token) => {
    const { command, args, env } = adapterFor(url, token);
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    return [command, ...args, '--transport', 'stdio', ...variables];
  },
};

async function inspect(
  target: readonly string[],
  era: string,
  method: string,
  ...args: string[]
): Promise<Ended & { readonly result: unknown }> {
  const options = ['--protocol-era', era, '--stored-auth-only', '--method', method, ...args];
  const ended = await run('inspector', folder, [
    '--cli',
    ...target,
    ...options,
    '--format',
    'json',
  ]);
  const output = ended.stdout === '' ? {} : (JSON.parse(ended.stdout) as { result?: unknown });
  return { ...ended, result: output.result };
}

function call(tool: string, args: object): readonly [string, ...string[]] {
  return ['tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
}

const orders = { schema: 'public', table: 'orders', filters: { id: 7 } };

for (const [name, target] of Object.entries(TARGETS)) {
  for (const era of ['legacy', 'modern']) {
    t.test(`over ${name}, ${era}: tools in order, rows, and an error that is one`, async (t) => {
      const list = await inspect(target(open), era, 'tools/list', '--strict');
      t.match(list, { code: 0, stderr: '' });
      const { tools } = list.result as { tools: { name: string }[] };
      t.match(tools[0], { name: 'service.list_databases' });
      t.ok(tools.some((tool) => tool.name === 'service.select.postgres.public.orders'));

      const rows = await inspect(target(open), era, ...call('service.select_table', orders));
      t.match(rows, { code: 0, result: { structuredContent: { rows: [{ id: 7 }] } } });

      const nothing = { schema: 'public', table: 'nothing' };
      const error = await inspect(target(open), era, ...call('service.select_table', nothing));
      t.match(error, { code: TOOL_ERROR, result: { isError: true } });
    });
  }

  t.test(`over ${name}: with a token`, async (t) => {
    const mine = await inspect(
      target(guarded, token),
      'modern',
      ...call('service.select_table', orders),
    );
    t.match(mine, { code: 0, result: { structuredContent: { rows: [{ id: 7 }] } } });
  });
}

t.test('without a token the Inspector asks for one', async (t) => {
  const refused = await inspect(TARGETS['http']!(guarded), 'legacy', 'tools/list');
  t.equal(refused.code, AUTHORIZATION_NEEDED, refused.stderr);
});
