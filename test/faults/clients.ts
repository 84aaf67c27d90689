/** Faults of clients. Those of the ordinary load beside them must notice nothing. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Scene } from './fault.js';
import { HttpConnection, type Reply } from './http-connection.js';
import { HUNG_AFTER } from './load.js';
import { bytesOf, kindNamed, MIX, pickKind } from './requests.js';
import { MAX_BODY } from './site.js';

/** atOnce runs an action for several clients at a time. */
async function atOnce(clients: number, act: (i: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, (_, i) => act(i)));
}

function open({ site }: Scene): Socket {
  return connect({ port: site.port, host: '127.0.0.1', allowHalfOpen: true }).on(
    'error',
    () => undefined,
  );
}

/** vanish sends a part of a request, or all of it, and leaves. */
async function vanish(scene: Scene, how: 'RST' | 'FIN'): Promise<void> {
  const { random, ledger, next } = scene;
  const kind = pickKind(MIX, random);
  const n = next();
  const bytes = bytesOf(kind, n);
  // A request whose client has left may be executed or not.
  ledger.note(n, 'unknown');
  const socket = open(scene);
  socket.write(bytes.slice(0, random.between(1, bytes.length)));
  await sleep(random.between(0, 20));
  if (how === 'RST') socket.resetAndDestroy();
  else socket.destroy();
}

/** halfClose sends one request and a FIN right behind it: the answer must come all the same. */
async function halfClose({ site, load, next, random }: Scene): Promise<void> {
  const connection = new HttpConnection(site.port);
  const kind = pickKind(MIX, random);
  const n = next();
  const reply = connection.ask(bytesOf(kind, n), { limit: HUNG_AFTER });
  connection.socket.end();
  load.record(kind, n, await reply);
  connection.close();
}

/** readSlowly takes an answer of 2 MiB with many pauses, all within http.timeout. */
async function readSlowly({ site, load }: Scene): Promise<void> {
  const connection = new HttpConnection(site.port);
  const received = (socket: Socket): void => {
    socket.pause();
    setTimeout(() => socket.resume(), 15);
  };
  await load.ask(connection, kindNamed('large'), { received });
  connection.close();
}

/** oversize sends a body that is much larger than http.max_body and wants to see the answer to it. */
async function oversize({ site, load, next }: Scene): Promise<void> {
  const kind = { ...kindNamed('insert'), status: 413, expected: TOO_LARGE };
  const n = next();
  const connection = new HttpConnection(site.port);
  const head = bytesOf(kind, n).replace('Content-Length: 0', `Content-Length: ${BODY.length}`);
  const reply = connection.ask(head, { limit: HUNG_AFTER });
  connection.socket.write(BODY);
  load.record(kind, n, await reply);
  connection.close();
}

const BODY = Buffer.alloc(100 * MAX_BODY);
const TOO_LARGE = (): unknown => ({ error: 'request body is too large', code: 'body_too_large' });

const AMBIGUOUS: readonly string[] = [
  'Content-Length: 0\r\nContent-Length: 0',
  'Content-Length: 0\r\nContent-Length: 5',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: xchunked',
  'Content-Length: 0\r\nHost: another',
];

/**
 * ambiguous sends a request whose end two readers could see in two places, and an insert in the same write: there must be
 * one answer, 400, and the insert must not be executed.
 */
async function ambiguous(scene: Scene, headers: string): Promise<void> {
  const { load, ledger, next } = scene;
  const insert = kindNamed('insert');
  const [first, second] = [next(), next()];
  for (const n of [first, second]) ledger.note(n, 'not done');
  const begin = bytesOf(insert, first).replace('Content-Length: 0', headers);
  const body = headers.startsWith('Transfer') ? '0\r\n\r\n' : '';
  const socket = open(scene);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  const closed = new Promise<boolean>((resolve) => {
    socket.on('end', () => resolve(true)).on('close', () => resolve(true));
    setTimeout(() => resolve(false), 1_500);
  });
  socket.write(begin + body + bytesOf(insert, second));
  const ended = await closed;
  socket.destroy();
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
  const right = ended && statuses.join() === '400';
  const reply: Reply = right ? { status: 400, headers: new Map(), body: REFUSED } : 'garbled';
  load.record({ ...insert, status: 400, expected: () => ({ code: '' }) }, first, reply);
  ledger.note(first, 'not done');
  if (!right)
    load.tally.sample(`${headers}: answers ${statuses.join()}, ${ended ? 'closed' : 'left open'}`);
}

const REFUSED = Buffer.from('{"code":""}');

/**
 * pipeline sends several writes at once on one connection, which uWebSockets.js closes when a request comes before the
 * answer to the one before it: whatever is answered must be true, and nothing may run twice.
 */
async function pipeline({ site, load, next }: Scene): Promise<void> {
  const kind = kindNamed('insert');
  const numbers = Array.from({ length: 8 }, next);
  const connection = new HttpConnection(site.port);
  connection.socket.cork();
  const replies = numbers.map((n) => connection.ask(bytesOf(kind, n), { limit: HUNG_AFTER }));
  connection.socket.uncork();
  for (const [i, n] of numbers.entries()) load.record(kind, n, await replies[i]!);
  connection.close();
}

/** rounds does something for as many clients again and again. */
async function rounds(
  times: number,
  clients: number,
  act: (i: number) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < times; i++) await atOnce(clients, act);
}

export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: 'clients that leave within a request (RST)',
    inject: (scene) => rounds(10, 16, () => vanish(scene, 'RST')),
    unnoticed: true,
  },
  {
    name: 'clients that leave within a request (FIN)',
    inject: (scene) => rounds(10, 16, () => vanish(scene, 'FIN')),
    unnoticed: true,
  },
  {
    name: 'clients that half-close behind a request',
    inject: (scene) => rounds(5, 16, () => halfClose(scene)),
    unnoticed: true,
  },
  {
    name: 'slow readers of answers of 2 MiB',
    inject: (scene) => atOnce(12, () => readSlowly(scene)),
    unnoticed: true,
  },
  {
    name: 'senders of bodies of 100 MiB',
    inject: (scene) => atOnce(6, () => oversize(scene)),
    unnoticed: true,
  },
  {
    name: 'ambiguous framing with a request behind it',
    inject: (scene) => atOnce(AMBIGUOUS.length * 2, (i) => ambiguous(scene, AMBIGUOUS[i >> 1]!)),
    unnoticed: true,
  },
  {
    name: 'several requests in one write',
    inject: (scene) => rounds(10, 8, () => pipeline(scene)),
  },
];
