/** Whose bodies of requests to scripts are kept, how many bytes of them, and what becomes of them when a script changes. */
import { renameSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { requestBytes, sendRaw, type RawAnswer } from '../../../support/raw-http.js';
import { allRead } from '../../../support/tcp-state.js';
import { authSettings, userToken } from '../../../support/tokens.js';
import { until } from '../../../support/until.js';
import { serveDatabase } from '../served-database.js';

const MIB = 1 << 20;
const TEXT = `SELECT {{sqlVal "body.name"}}::text AS name`;
const PLAIN = 'SELECT 1 AS plain';

const { port } = await serveDatabase(
  t,
  { 'echo.write.sql': TEXT },
  {
    maxBody: MIB,
    auth: authSettings({
      scripts: {
        scripts: [],
        users: [{ name: 'ann', scripts: ['echo', 'none'].map((name) => ({
          database: undefined, location: 't', name, permissions: ['write'],
        })) }],
      },
    }),
  },
); // prettier-ignore

const ANN = `Authorization: Bearer ${userToken('ann')}`;
const BOB = `Authorization: Bearer ${userToken('bob')}`;
const JSON_TYPE = 'Content-Type: application/json';

const head = (name: string, headers: readonly string[]): string =>
  requestBytes('POST', `/_QUERIES/t/${name}`, [JSON_TYPE, ...headers]);
const post = (name: string, caller: string, body: string): string =>
  head(name, [caller, `Content-Length: ${body.length}`]) + body;

const codeOf = ({ status, body }: RawAnswer): string =>
  `${status} ${(JSON.parse(body) as { code?: string }).code ?? ''}`;

/** Sends a body that does not end, and returns the connection. */
function hold(bytes: string): net.Socket {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

const almost = (caller: string): string =>
  head('echo', [caller, `Content-Length: ${MIB}`]) + 'x'.repeat(MIB - 1);

t.test('the response to others does not depend on the script or the body', async (t) => {
  for (const body of ['{"name":"a"}', '{"name":', 'x'.repeat(MIB)])
    for (const name of ['echo', 'none']) {
      t.equal(codeOf(await sendRaw(port, post(name, BOB, body))), '403 permission_denied');
      t.equal(codeOf(await sendRaw(port, post(name, 'X-A: b', body))), '401 token_missing');
      t.equal(codeOf(await sendRaw(port, post(name, `${ANN}x`, body))), '401 invalid_claims');
    }
  t.equal(codeOf(await sendRaw(port, post('none', ANN, '{"name":'))), '404 script_not_found');
  t.equal(codeOf(await sendRaw(port, post('echo', ANN, '{"name":'))), '400 invalid_body');
});

t.test('others make it keep nothing', async (t) => {
  const sockets = Array.from({ length: 60 }, () => hold(almost(BOB)));
  await allRead(port, sockets);
  const answer = await sendRaw(port, post('echo', ANN, '{"name":"a"}'));
  t.equal(answer.status, 200);
  for (const socket of sockets) socket.destroy();
});

t.test('the budget is bounded, also for what is decoded, and free again', async (t) => {
  const sockets = Array.from({ length: 40 }, () => hold(almost(ANN)));
  let told = '';
  for (const socket of sockets) socket.on('data', (data) => (told += data.toString()));
  await allRead(port, sockets);
  await until(() => told.includes('"busy"'));
  t.match(told, /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*Retry-After: 1\r\n[^]*"code":"busy"/);
  const packed = gzipSync(`{"name":"${'a'.repeat(MIB - 11)}"}`);
  const encoded = await fetch(`http://127.0.0.1:${port}/_QUERIES/t/echo`, {
    method: 'POST',
    headers: {
      authorization: ANN.slice('Authorization: '.length),
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: packed,
  });
  t.equal(encoded.status, 503);
  for (const socket of sockets) socket.destroy();
  await until(
    async () => (await sendRaw(port, post('echo', ANN, `{"name":"${'a'.repeat(MIB - 11)}"}`))).status === 200,
  ); // prettier-ignore
});

t.test('a script that begins to use bodies never sees one as absent', async (t) => {
  const served = await serveDatabase(t, { 'now.write.sql': PLAIN });
  const script = path.join(t.testdirName, 't', 'now.write.sql');
  const next = path.join(t.testdirName, 'next');
  const answers: string[] = [];
  let wrong = '';
  const ask = async (): Promise<string> => {
    const name = `n${answers.length}`;
    const response = await fetch(served.url('now'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    const text = await response.text();
    const fine = [
      '{"rows_affected":1,"rows":[{"plain":1}]}',
      `{"rows_affected":1,"rows":[{"name":"${name}"}]}`,
    ];
    if (!fine.includes(text) && !text.includes('"busy"')) wrong ||= text;
    answers.push(text);
    return text;
  };
  for (const [content, wanted] of [[TEXT, '"name"'], [PLAIN, '"plain"'], [TEXT, '"name"']] as const) {
    // In one step: a script that is half written is one that cannot be used.
    writeFileSync(next, content);
    renameSync(next, script);
    await until(async () => (await ask()).includes(wanted));
  } // prettier-ignore
  t.equal(wrong, '');
});
