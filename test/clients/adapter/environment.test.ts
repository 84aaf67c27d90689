/** Environment and command line of the adapter: rejected with one line, or accepted in every allowed form. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { parseCommandLine } from '#app/clients/adapter/command-line.js';
import { readEndpoint } from '#app/clients/adapter/endpoint.js';
import { Adapter, converse, reply, request, startEndpoint } from './adapter.js';

t.test('an environment or a command line that cannot be used', async (t) => {
  const url = 'http://127.0.0.1:3000';
  const cases: [env: Record<string, string>, args: string[], code: number, stderr: RegExp][] = [
    [{}, [], 1, /SERVICE_MCP_URL is not set/],
    [{ SERVICE_MCP_URL: '' }, [], 1, /SERVICE_MCP_URL is not set/],
    [{ SERVICE_MCP_URL: '  ' }, [], 1, /SERVICE_MCP_URL is not set/],
    [{ SERVICE_MCP_URL: 'localhost:3000' }, [], 1, /begins with http:\/\/ or https:\/\//],
    [{ SERVICE_MCP_URL: 'ftp://localhost/_mcp' }, [], 1, /begins with http:\/\/ or https:\/\//],
    [{ SERVICE_MCP_URL: 'http://' }, [], 1, /begins with http:\/\/ or https:\/\//],
    [{ SERVICE_MCP_URL: 'http://a:99999' }, [], 1, /begins with http:\/\/ or https:\/\//],
    [{ SERVICE_MCP_URL: 'http://ann:s3cret@host' }, [], 1, /holds a user or a password/],
    [{ SERVICE_MCP_URL: `${url}#s3cret` }, [], 1, /has a #/],
    [{ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: 's3cret\r\nX: y' }, [], 1, /a line break/],
    [{ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: 's3cret\n' }, [], 1, /a line break/],
    [{ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: 's3crét' }, [], 1, /no header can carry/],
    [{ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: 'Bearer ' }, [], 1, /holds no token/],
    [{ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: ' ' }, [], 1, /holds no token/],
    [{ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: 'Basic s3cret' }, [], 1, /holds a space/],
    [{ SERVICE_MCP_URL: url }, ['--tiemout', '1'], 2, /--tiemout.*--help/],
    [{ SERVICE_MCP_URL: url }, ['--timeout', '0'], 2, /--timeout takes whole seconds/],
    [{ SERVICE_MCP_URL: url }, ['--timeout', '1e3'], 2, /--timeout takes whole seconds/],
    [{ SERVICE_MCP_URL: url }, ['--timeout', '99999'], 2, /--timeout takes whole seconds/],
    [{ SERVICE_MCP_URL: url }, ['serve'], 2, /serve.*--help/],
  ];
  // A process for one of each kind.
  const ran = cases.filter((_, i) => [0, 9, 15, 16].includes(i));
  for (const [env, args, code, stderr] of ran) {
    const adapter = new Adapter(t, env, { args });
    // Its input stays open: it exits by itself.
    t.equal(await adapter.closed(), code, JSON.stringify([env, args]));
    t.match(adapter.stderr, stderr);
    t.match(adapter.stderr, /^sql-rest-service-mcp: [^\n]+\n$/, 'one line');
    t.notMatch(adapter.stderr, /s3cr/);
    t.strictSame(adapter.lines, []);
  }
  for (const [env, args, code, stderr] of cases) {
    const what = JSON.stringify([env, args]);
    const message = messageOf(() => (code === 1 ? readEndpoint(env) : parseCommandLine(args)));
    t.match(`${message.split('\n', 1)[0]} (try --help)`, stderr, what);
    if (code === 1) t.notMatch(message, /\n/, 'one line');
    t.notMatch(message, /s3cr/);
  }
});

/** messageOf is the message of the error that a call throws. */
function messageOf(call: () => unknown): string {
  try {
    call();
    return 'no error';
  } catch (error) {
    return (error as Error).message;
  }
}

t.test('help and version, without an environment', async (t) => {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version, bin } = JSON.parse(readFileSync(file, 'utf8')) as {
    version: string;
    bin: Record<string, string>;
  };
  for (const [flag, stdout] of [
    ['--help', /SERVICE_MCP_URL[^]*SERVICE_MCP_TOKEN[^]*--timeout SECONDS[^]*Exit status/],
    ['-h', /^Usage: sql-rest-service-mcp/],
    ['--version', version],
    ['-V', version],
  ] as const) {
    const adapter = new Adapter(t, {}, { args: [flag] });
    t.equal(await adapter.closed(), 0, flag);
    t.match(adapter.lines.join('\n'), stdout);
    t.equal(adapter.stderr, '');
  }
  t.equal(bin['sql-rest-service-mcp'], './dist/clients/adapter/main.js');
});

t.test('forms of the address', async (t) => {
  const { url, received } = await startEndpoint(t, reply);
  const cases: [address: string, path: string][] = [
    ['', '/_mcp?names=plain'],
    ['/', '/_mcp?names=plain'],
    ['/_mcp', '/_mcp?names=plain'],
    ['/_mcp/', '/_mcp?names=plain'],
    ['/api', '/api/_mcp?names=plain'],
    ['/api//', '/api/_mcp?names=plain'],
    ['/api/_mcp', '/api/_mcp?names=plain'],
    ['/my_mcp', '/my_mcp/_mcp?names=plain'],
    ['/a b/é', '/a%20b/%C3%A9/_mcp?names=plain'],
    ['/_mcp ', '/_mcp?names=plain'],
    ['/_mcp?', '/_mcp?names=plain'],
    ['?names=dotted', '/_mcp?names=dotted'],
    ['/api?a=%20b&names=', '/api/_mcp?a=%20b&names='],
    ['/_mcp?a=b/c?d', '/_mcp?a=b/c?d&names=plain'],
  ];
  for (const [address, path] of cases)
    t.equal(readEndpoint({ SERVICE_MCP_URL: url + address }).url.href, url + path, address);
  // A process for some of them.
  for (const [address, path] of [cases[0]!, cases[5]!, cases[8]!]) {
    const { messages, stderr, code } = await converse(t, url + address, [request(1)]);
    t.strictSame(messages, [{ jsonrpc: '2.0', id: 1, result: { n: 1 } }], address);
    t.equal(received.at(-1)!.path, path, address);
    t.strictSame([code, stderr], [0, '']);
  }
});

t.test('forms of the token', async (t) => {
  const { url, received } = await startEndpoint(t, reply);
  const cases: [token: string, header: string | undefined][] = [
    ['', undefined],
    ['a.b-c_d=', 'Bearer a.b-c_d='],
    ['Bearer a.b', 'Bearer a.b'],
    ['bearer  a.b', 'Bearer a.b'],
    ['BEARER a.b ', 'Bearer a.b'],
    ['bearera.b', 'Bearer bearera.b'],
  ];
  for (const [token, header] of cases) {
    const { authorization } = readEndpoint({ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: token });
    t.equal(authorization, header, token);
  }
  // A process for some of them.
  for (const [token, header] of [cases[0]!, cases[3]!]) {
    const adapter = await converse(t, url, [request(1)], { SERVICE_MCP_TOKEN: token });
    t.equal(received.at(-1)!.headers.authorization, header, token);
    t.equal(adapter.stderr, '', 'no warning: it stays on this machine');
  }
});

t.test('a token sent unencrypted to another machine', async (t) => {
  const cases: [url: string, warned: boolean][] = [
    ['http://192.0.2.1', true],
    ['http://db.example:3000', true],
    ['http://127.example', true],
    ['http://localhost.example', true],
    ['https://192.0.2.1', false],
    ['http://localhost:1', false],
    ['http://app.localhost:1', false],
    ['http://127.1:1', false],
    ['http://[::1]:1', false],
  ];
  for (const [url, warned] of cases) {
    const { warnings } = readEndpoint({ SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: 's3cret' });
    t.equal(/the token goes to .* unencrypted/.test(warnings.join('\n')), warned, url);
    t.notMatch(warnings.join('\n'), /s3cret/);
    t.strictSame(readEndpoint({ SERVICE_MCP_URL: url }).warnings, [], 'nothing to say');
  }
  // A process for one of each.
  for (const [url, warned] of [cases[0]!, cases[4]!]) {
    // Nothing is sent, so no endpoint is needed.
    const adapter = await converse(t, url, [], { SERVICE_MCP_TOKEN: 's3cret' });
    t.equal(/the token goes to .* unencrypted/.test(adapter.stderr), warned, url);
    t.notMatch(adapter.stderr, /s3cret/);
    t.equal((await converse(t, url, [])).stderr, '', 'without a token there is nothing to say');
  }
});
