/** Which requests development mode serves: by the host that they name, and the page that they come from. */
import t from 'tap';
import { startHttpProcess } from '../support/http-process.js';
import { sendRaw } from '../support/raw-http.js';

const HOST = 'Host: localhost';
const MISDIRECTED = '421 misdirected_request';
const DENIED = '403 permission_denied';

/** Header lines, and the status with the code of an error. */
const CASES: readonly [lines: readonly string[], wanted: string][] = [
  [['Host: localhost'], '200'],
  [['Host: LOCALHOST:3000'], '200'],
  [['Host: 127.0.0.1:3000'], '200'],
  [['Host: 127.1.2.3'], '200'],
  [['Host: [::1]:3000'], '200'],
  [['Host: evil.example'], MISDIRECTED],
  [
    ['Host: evil.example', 'X-Forwarded-Host: localhost', 'X-Forwarded-For: 127.0.0.1'],
    MISDIRECTED,
  ],
  [['Host: evil.example', 'Forwarded: host=localhost;for=127.0.0.1'], MISDIRECTED],
  [['Host: localhost.evil.example'], MISDIRECTED],
  [['Host: 127.0.0.1.evil.example'], MISDIRECTED],
  [['Host: evil.example:localhost'], MISDIRECTED],
  [['Host: localhost@evil.example'], MISDIRECTED],
  [['Host: localhost:3000, evil.example'], MISDIRECTED],
  [['Host: 0.0.0.0:3000'], MISDIRECTED],
  [['Host: 192.168.1.10'], MISDIRECTED],
  [['Host:'], MISDIRECTED],
  [[HOST, 'Origin: http://localhost:5173'], '200'],
  [[HOST, 'Origin: https://127.0.0.1'], '200'],
  [[HOST, 'Origin: https://evil.example'], DENIED],
  [[HOST, 'Origin: http://localhost.evil.example'], DENIED],
  [[HOST, 'Origin: null'], DENIED],
];

const cors = { origins: ['*'], headers: [], methods: ['GET'], credentials: false };
const { port } = await startHttpProcess(t, { development: true, cors, page: { atRoot: true } });
const usual = await startHttpProcess(t, { cors, page: { atRoot: true } });

async function ask(to: number, lines: readonly string[]): Promise<string> {
  const bytes = ['GET / HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n');
  const { status, body } = await sendRaw(to, bytes);
  return status === 200 ? '200' : `${status} ${(JSON.parse(body) as { code: string }).code}`;
}

for (const [lines, wanted] of CASES)
  t.test(lines.join(', '), async (t) => {
    t.equal(await ask(port, lines), wanted);
    if (lines[0] !== 'Host:') t.equal(await ask(usual.port, lines), '200', 'outside of it');
  });

t.test('a preflight of another page', async (t) => {
  const lines = [HOST, 'Origin: https://evil.example', 'Access-Control-Request-Method: POST'];
  const bytes = ['OPTIONS / HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n');
  t.equal((await sendRaw(port, bytes)).status, 403);
});
