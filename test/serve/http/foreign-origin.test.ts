/**
 * Web pages of other origins, for which a browser on this machine sends requests: they change nothing without
 * authentication.
 */
import t from 'tap';
import type { CorsSettings } from '#app/messages/http-settings.js';
import { errorOf, probeFolder, servePlugins } from './served-plugins.js';
import { authSettings, userToken } from '../../support/tokens.js';

const cors = (...origins: string[]): CorsSettings => ({
  origins,
  headers: ['Content-Type'],
  methods: ['POST'],
  credentials: false,
});

const folder = probeFolder(t);
const SERVED = {
  open: await servePlugins(t, folder),
  listed: await servePlugins(t, folder, { cors: cors('https://app.example') }),
  every: await servePlugins(t, folder, { cors: cors('*') }),
  mcp: await servePlugins(t, folder, { mcpOrigins: ['https://app.example'] }),
  token: await servePlugins(t, folder, { auth: authSettings() }),
};

const TOKEN = `Authorization: Bearer ${userToken('ann')}`;
const REFUSED = '403 permission_denied';
const SCRIPT = '/_QUERIES/shop/order';
/** There is no such script: the request was admitted. */
const PASSED = /^(?:404|503)/;
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

const CASES: [served: keyof typeof SERVED, request: string, origin: string, wanted: string | RegExp][] = [
  ...WRITES.map((method) => ['open', `${method} ${SCRIPT}`, 'https://evil.example', REFUSED] as const),
  ['open', `POST ${SCRIPT}`, 'null', REFUSED],
  ['open', `POST ${SCRIPT}`, 'http://localhost.evil.example', REFUSED],
  ['open', `POST ${SCRIPT}`, 'http://127.0.0.1.evil.example:3000', REFUSED],
  ['open', `POST ${SCRIPT}`, 'http://localhost:99999999', REFUSED],
  ['open', 'POST /_QUERIES/nodb/shop/order', 'https://evil.example', REFUSED],
  ['open', 'POST probe/Hello', 'https://evil.example', REFUSED],
  ['open', 'PROPFIND probe/Hello', 'https://evil.example', REFUSED],
  ['mcp', `POST ${SCRIPT}`, 'https://app.example', REFUSED],
  ['listed', `POST ${SCRIPT}`, 'https://evil.example', REFUSED],
  ['listed', `POST ${SCRIPT}`, 'https://app.example:8443', REFUSED],

  ['listed', `POST ${SCRIPT}`, 'https://app.example', PASSED],
  ['every', `POST ${SCRIPT}`, 'https://evil.example', PASSED],
  ...['', 'http://localhost', 'https://localhost:8080', 'http://127.0.0.1:3000', 'http://[::1]:3000'].map(
    (origin) => ['open', `POST ${SCRIPT}`, origin, PASSED] as const,
  ),
  ...['GET', 'HEAD', 'OPTIONS'].map((method) => ['open', `${method} ${SCRIPT}`, 'https://evil.example', PASSED] as const),
  ['open', 'GET probe/Hello', 'https://evil.example', '200'],
  ['open', 'POST /_health', 'https://evil.example', /^405/],
  ['token', `POST ${SCRIPT}`, 'https://evil.example', PASSED],
].map((one) => [...one]) as never; // prettier-ignore

for (const [served, request, origin, wanted] of CASES)
  t.test(`${served}: ${request}, ${origin}`, async (t) => {
    const headers = [
      ...(origin === '' ? [] : [`Origin: ${origin}`]),
      ...(served === 'token' ? [TOKEN] : []),
    ];
    const answer = await SERVED[served].send(request, headers);
    const code = errorOf(answer).replace(/:.*/, '');
    if (typeof wanted === 'string') t.equal(code, wanted);
    else t.match(code, wanted);
    if (wanted === REFUSED) t.match(answer.body, 'cors.alloworigin');
  });
