/** Requests to plugins that fail: missing, unloadable, or without a valid response, each with an error code of its own. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ISOLATIONS, PluginFolder } from '../../support/plugin-folder.js';
import { errorOf, probeFolder, servePlugins } from './served-plugins.js';

const folder = probeFolder(t);
const elsewhere = new PluginFolder(t);
const LONGEST = 'f'.repeat(63);
const HELLO = 'SERVICE_HANDLER const char* GETHelloHandler(void) { return "{}"; }';
folder.write('other_abi', `const uint32_t service_plugin_abi = 2u << 16;\n${HELLO}`);
folder.write('no_abi', HELLO);
folder.write('unresolved', `SERVICE_PLUGIN\nconst char* missing_symbol(void);
SERVICE_HANDLER const char* GETHelloHandler(void) { return missing_symbol(); }`); // prettier-ignore
folder.write(LONGEST, `SERVICE_PLUGIN\n${HELLO}`);
folder.write('ключ', `SERVICE_PLUGIN\n${HELLO}`);
elsewhere.write('outside', `SERVICE_PLUGIN\n${HELLO}`);
writeFileSync(folder.file('text'), 'this is no library');
mkdirSync(folder.file('folder'));
symlinkSync(elsewhere.file('outside'), folder.file('outside'));
symlinkSync(folder.file('probe'), folder.file('inside'));
symlinkSync(path.join('/proc', 'self', 'mem'), folder.file('memory'));

/** The request, and the beginning of `status code: message`; the status alone where there is no error. */
const CASES: readonly (readonly [request: string, wanted: string])[] = [
  // missing
  ['GET nope/Hello', '404 plugin_not_found: plugin not found: nope'],
  ['GET probe/Nope', '404 handler_not_found: plugin probe has no function Nope'],
  ['POST probe/Hello', '404 handler_not_found: function Hello of plugin probe has no handler for POST, only for GET, HEAD, OPTIONS, PROPFIND'], // prettier-ignore
  ['GET probe/hello', '404 handler_not_found'],
  ['GET probe/HelloHandler', '404 handler_not_found'],
  ['GET probe/GETHello', '404 handler_not_found'],
  ['GET libc/Hello', '404 plugin_not_found'],
  // a function that is not a handler, or of another library
  ['GET probe/malloc', '404 handler_not_found'],
  // cannot be loaded
  ['GET other_abi/Hello', '500 plugin_load_failed: plugin other_abi could not be loaded: '],
  ['GET no_abi/Hello', '500 plugin_load_failed'],
  ['GET text/Hello', '500 plugin_load_failed'],
  ['GET unresolved/Hello', '500 plugin_load_failed: plugin unresolved could not be loaded, check your service logs'], // prettier-ignore
  ['GET probe/Undeclared', '500 plugin_load_failed: function Undeclared of plugin probe declares no known form'], // prettier-ignore
  // outside the folder, or not a file
  ['GET outside/Hello', '404 plugin_not_found'],
  ['GET memory/Hello', '404 plugin_not_found'],
  ['GET folder/Hello', '500 plugin_load_failed'],
  ['GET inside/Hello', '200'],
  // methods
  ['get probe/Hello', '404 handler_not_found: plugins have functions for registered methods'],
  ['Get probe/Hello', '404 handler_not_found'],
  ['VERSION-CONTROL probe/Hello', '404 handler_not_found'],
  ['FOO probe/Hello', '404 handler_not_found'],
  ['PROPFIND probe/Hello', '200'],
  ['UPDATEREDIRECTREF probe/Longest', '200'],
  ['OPTIONS probe/Hello', '200'],
  ['HEAD probe/Hello', '200'],
  ['HEAD probe/Text', '404'],
  // names
  ['GET probe.so/Hello', '400 invalid_identifier'],
  ['GET ..%2Fprobe/Hello', '400 invalid_identifier'],
  ['GET probe/Hello%00', '400 invalid_identifier'],
  ['GET probe/Hel%2Flo', '400 invalid_identifier'],
  ['GET probe/Hello()', '400 invalid_identifier'],
  ['GET ../probe/Hello', '400 invalid_path'],
  ['GET %2e%2e/Hello', '400 invalid_path'],
  [`GET ${LONGEST}/Hello`, '200'],
  [`GET ${LONGEST}f/Hello`, '400 invalid_identifier'],
  ['GET %D0%BA%D0%BB%D1%8E%D1%87/Hello', '200'],
  ['GET probe/Hell%C3%B6', '404 handler_not_found'],
  ['GET probe', '404 not_found'],
  ['GET probe/Hello/x', '404 not_found'],
  ['GET /_plugin/probe/Hello', '404 not_found'],
  ['GET probe//Hello', '301'],
  ['POST probe/Hello/', '308'],
  // query strings, looked at last
  ['GET probe/Hello?a=%zz', '400 invalid_query_string'],
  ['GET probe/Hello?a=%ff', '400 invalid_query_string'],
  ['GET probe/Hello?a=%00', '400 invalid_query_string'],
  [`GET probe/Hello?${'a&'.repeat(1_001)}`, '400 invalid_query_string'],
  ['GET probe/Nope?a=%zz', '404 handler_not_found'],
  ['GET nope/Hello?a=%zz', '404 plugin_not_found'],
  ['GET probe/Hello?a=1&a=2&;', '200'],
  // invalid responses
  ['GET probe/Null', '502 plugin_response_invalid'],
  ['GET probe/NoUtf8', '502 plugin_response_invalid'],
  ['GET probe/Inject', '502 plugin_response_invalid'],
  ['GET probe/Large?size=70001', '502 plugin_response_too_large'],
  ['GET probe/Sleep?ms=6000', '504 plugin_timeout'],
  ['GET probe/Hello', '200'],
];

for (const isolation of ISOLATIONS)
  t.test(isolation, async (t) => {
    const plugins = { isolation, timeout: 4_000, maxResponse: 70_000 };
    const { send } = await servePlugins(t, folder, { plugins });
    const answers = await Promise.all(CASES.map(([request]) => send(request)));
    for (const [i, [request, wanted]] of CASES.entries()) {
      const seen = errorOf(answers[i]!);
      t.equal(seen.slice(0, wanted.length), wanted, `${request.slice(0, 80)}: ${seen}`);
    }
    for (const { text } of answers) t.notMatch(text, /missing_symbol|\/tmp|\.so/, 'no path, no loader'); // prettier-ignore
    const xml = await send('GET nope/Hello?_renderer=xml');
    t.equal(
      xml.body,
      '<objects><error>plugin not found: nope</error><code>plugin_not_found</code></objects>',
    );
  });

t.test('under a prefix', async (t) => {
  const { send } = await servePlugins(t, folder, { context: '/api' });
  t.equal(errorOf(await send('GET probe/Hello')).slice(0, 13), '404 not_found');
  t.equal((await send('GET /api/_PLUGIN/probe/Hello')).status, 200);
});

t.test('crashes, of a process alone', async (t) => {
  const { send } = await servePlugins(t, folder);
  for (const func of ['Crash', 'Abort', 'Exit']) {
    t.equal((await send('GET probe/Hello')).status, 200);
    t.match(errorOf(await send(`GET probe/${func}`)), /^502 plugin_crashed/);
  }
  t.equal((await send('GET probe/Hello')).status, 200);
});
