/**
 * Bodies sent to the registry while it is not known yet who sends them: the keys that their tokens are checked with have
 * not come. They are kept within bounds, and what becomes of them is settled once that is known.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { gives, KeyServer } from '../../access/key-server.js';
import { keySet, makeKey, signed } from '../../access/tokens.js';
import { startPostgres } from '../../support/postgres.js';
import { requestBytes, sendRaw, type RawAnswer } from '../../support/raw-http.js';
import { allRead } from '../../support/tcp-state.js';
import { authSettings, seconds } from '../../support/tokens.js';
import { serveRegistry } from './served-registry.js';

const MIB = 1 << 20;
const MAX_BODY = MIB + 2_000;
const key = makeKey('ES256');
const bearer = (name: string): string =>
  `Authorization: Bearer ${signed(key, { sub: name, exp: seconds(3_600) })}`;
const ADMIN = bearer('ann');
const OTHER = bearer('bob');

const postgres = await startPostgres(t);

/**
 * held calls `ask` with a registry whose keys do not come, then lets them go, and gives what `ask` has returned. The registry
 * gives up on its keys after some seconds: when `ask` took longer, it is called again with another one.
 */
async function held<Asked>(
  t: Test,
  ask: (port: number) => Promise<Asked>,
): Promise<{ readonly port: number; readonly asked: Asked }> {
  for (;;) {
    const server = await KeyServer.start(t);
    const waiting: { readonly res: ServerResponse; readonly answer: () => void }[] = [];
    let open = false;
    server.answer = (res, req) => {
      const answer = (): void => gives(keySet({ key }))(res, req);
      if (open) answer();
      else waiting.push({ res, answer });
    };
    const auth = authSettings({
      tokens: { algorithm: 'ES256', key: undefined, jwks: server.url('/k') },
    });
    const { port } = await serveRegistry(t, { maxBody: MAX_BODY, auth }, postgres);
    const asked = await ask(port);
    open = true;
    for (const { answer } of waiting) answer();
    if (!waiting.some(({ res }) => res.destroyed)) return { port, asked };
  }
}

/** A record that is read to its end and not stored, for it has no script. */
function recordOf(bytes: number): string {
  const record = { location: 'a', name: 'b', description: '' };
  const more = bytes - JSON.stringify(record).length;
  return JSON.stringify({ ...record, description: 'x'.repeat(more) });
}

const post = (header: string, body: string, announced = body.length): string =>
  requestBytes('POST', '/_QUERIES/registry', [header, `Content-Length: ${announced}`], body);

const codeOf = ({ status, body }: RawAnswer): string => {
  const { code } = (body === '' ? {} : JSON.parse(body)) as { code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
};

const READ = '400 invalid_record';
const LARGEST = recordOf(MIB);

t.test('settled when the keys arrive', async (t) => {
  const cases: [what: string, bytes: string | readonly string[], wanted: string][] = [
    ['an admin', post(ADMIN, LARGEST), READ],
    ['an admin, too large', post(ADMIN, recordOf(MIB + 1)), '413 body_too_large'],
    ['another, little', post(OTHER, 'x'.repeat(MAX_BODY)), '403 registration_denied'],
    ['another, more than is discarded', post(OTHER, 'x'.repeat(MAX_BODY + 1)), '413 body_too_large'], // prettier-ignore
    ['another, 2 MiB', post(OTHER, 'x'.repeat(2 * MIB)), '413 body_too_large'],
    ['a wrong signature', post(`${ADMIN}x`, 'x'.repeat(10)), '401 invalid_claims'],
    ['no body', requestBytes('GET', '/_QUERIES/registry/a/nope', [ADMIN]), '404 query_not_found'],
  ];
  const { asked } = await held(t, async (port) => {
    const sockets: Socket[] = [];
    const connected = (socket: Socket): unknown => sockets.push(socket);
    const answers = cases.map(([, bytes]) => sendRaw(port, bytes, { connected }));
    await allRead(port, sockets);
    return { answers };
  });
  for (const [i, [what, , wanted]] of cases.entries())
    t.equal(codeOf(await asked.answers[i]!), wanted, what);
});

t.test('their budget is bounded', async (t) => {
  const { port, asked } = await held(t, async (port) => {
    const sockets: Socket[] = [];
    const connected = (socket: Socket): unknown => sockets.push(socket);
    const answers = Array.from({ length: 18 }, () => sendRaw(port, post(ADMIN, LARGEST), { connected })); // prettier-ignore
    await allRead(port, sockets);
    return { answers };
  });
  const told = (await Promise.all(asked.answers)).map(codeOf);
  t.strictSame([...new Set(told)].sort(), [READ, '503 busy']);
  t.ok(told.filter((code) => code === READ).length <= 16, 'half of the budget');
  t.equal(codeOf(await sendRaw(port, post(ADMIN, LARGEST))), READ);
});

t.test('rejected bodies free the budget at once', async (t) => {
  const { port, asked } = await held(t, async (port) => {
    const unfinished = post(OTHER, 'x'.repeat(MIB - 1), MIB);
    const sockets: Socket[] = [];
    const connected = (socket: Socket): unknown => sockets.push(socket);
    const others = Array.from({ length: 14 }, () => sendRaw(port, unfinished, { connected }));
    await allRead(port, sockets);
    const last = sendRaw(port, requestBytes('GET', '/_QUERIES/registry/a/nope', [ADMIN]));
    return { sockets, others, last };
  });
  t.equal(codeOf(await asked.last), '404 query_not_found'); // it waited for the keys behind the others
  const admins = Array.from({ length: 12 }, () => sendRaw(port, post(ADMIN, LARGEST))); // prettier-ignore
  t.strictSame([...new Set((await Promise.all(admins)).map(codeOf))], [READ]);
  for (const socket of asked.sockets) socket.destroy();
  t.strictSame(
    [...new Set((await Promise.all(asked.others)).map(codeOf))],
    ['0'],
    'still unfinished',
  );
});
