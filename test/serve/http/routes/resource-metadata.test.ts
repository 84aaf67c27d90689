/** Requests for the metadata of the MCP endpoint, and without a token to it, whose Host header is no part of a URL. */
import t from 'tap';
import { httpProcessSettings } from '../../../support/http-process.js';
import { sendRaw } from '../../../support/raw-http.js';
import { authSettings } from '../../../support/tokens.js';
import { startServer } from '../worker-server.js';

const settings = httpProcessSettings({
  auth: authSettings({
    tokens: { wellKnown: 'http://127.0.0.1:1/.well-known/openid-configuration' },
  }),
  worker: { mcp: {} as never },
});
const port = await startServer(t, settings, 'scripted-worker.js');

for (const host of ['x:99999', 'xn--a', '[:::]', 'a"b', 'a:b', '', 'a..b', '0x1.2.3.4.5'])
  t.test(JSON.stringify(host), async (t) => {
    const ask = (path: string) => sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const refused = await ask('/_mcp');
    t.equal(refused.status, 401);
    const challenge = String(refused.headers.get('www-authenticate'));
    const [, url] = /^Bearer(?: resource_metadata="(.*)")?$/.exec(challenge) ?? [];
    t.ok(url === undefined || URL.canParse(url), challenge);
    const { status } = await ask('/.well-known/oauth-protected-resource');
    t.equal(status, url === undefined ? 400 : 200);
  });
