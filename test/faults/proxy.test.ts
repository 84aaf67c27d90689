/** What the proxy of the campaign does to bytes: it may lose, delay and cut them, and never reorders or changes them. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { until } from '../support/until.js';
import {
  cut,
  delay,
  pass,
  singleBytes,
  swallow,
  trickle,
  type CloseForm,
  type CutPoint,
  type Flow,
} from './flows.js';
import { Proxy } from './proxy.js';
import { Random } from '../../bench/random.js';

/** A server, a proxy in front of it and one connection through both, with what came out at either end. */
async function through(t: Pick<Test, 'teardown'>) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await Proxy.start({ host: '127.0.0.1', port });
  const client = new End(connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }));
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const peer = new End(accepted);
  t.teardown(() => {
    for (const end of [client, peer]) end.socket.destroy();
    proxy.close();
    server.close();
  });
  return { proxy, client, peer };
}

class End {
  readonly socket: Socket;
  received = '';
  /** How the other side ended it. */
  end = 'open';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => (this.received += chunk.toString()));
    socket.on('end', () => (this.end = 'FIN'));
    socket.on('error', () => (this.end = 'RST'));
  }
}

const TEXT = Array.from({ length: 3_000 }, (_, i) => `${i} `).join('');

const LOSSLESS: readonly (readonly [string, Flow])[] = [
  ['pass', pass],
  ['delay', delay(20)],
  ['trickle', trickle(500, 1)],
  ['single bytes', singleBytes],
];

for (const [name, flow] of LOSSLESS)
  t.test(`${name}: everything passes both ways, in order, with the end behind it`, async (t) => {
    const { proxy, client, peer } = await through(t);
    proxy.set(flow, flow);
    for (const [from, to] of [
      [client, peer],
      [peer, client],
    ] as const) {
      from.socket.write(TEXT.slice(0, 5_000));
      await sleep(5);
      from.socket.end(TEXT.slice(5_000));
      await until(() => to.end !== 'open');
      t.equal(to.received, TEXT);
      t.equal(to.end, 'FIN');
    }
  });

t.test('what passes at once never overtakes what was delayed', async (t) => {
  const { proxy, client, peer } = await through(t);
  proxy.set(delay(100), pass);
  client.socket.write('first ');
  await sleep(20);
  proxy.set(pass, pass);
  client.socket.end('second');
  await until(() => peer.end !== 'open');
  t.equal(peer.received, 'first second');
});

t.test(
  'swallow: nothing more passes one way, not even the end, whatever comes later',
  async (t) => {
    const { proxy, client, peer } = await through(t);
    proxy.setOpen(swallow, pass);
    client.socket.write('lost');
    await sleep(20);
    proxy.setOpen(pass, pass);
    client.socket.end('lost too');
    peer.socket.write('answer');
    await until(() => client.received !== '');
    await sleep(20);
    t.same([peer.received, peer.end, client.received], ['', 'open', 'answer']);
    proxy.clear();
    await until(() => client.end !== 'open');
    t.equal(client.end, 'RST', 'and a clear ends it');
  },
);

const CUTS: readonly (readonly [CutPoint, CloseForm, RegExp])[] = [
  ['before', 'RST', /^$/],
  ['before', 'FIN', /^$/],
  ['within', 'FIN', /^a(b(cd?)?)?$/],
  ['after', 'FIN', /^abcde$/],
];

for (const [at, how, arrives] of CUTS)
  t.test(`${how} ${at} a chunk`, async (t) => {
    const { proxy, client, peer } = await through(t);
    proxy.set(cut(at, how, 1, new Random(7)), pass);
    client.socket.write('abcde');
    await until(() => client.end !== 'open' && peer.end !== 'open');
    t.match(peer.received, arrives);
    t.same([client.end, peer.end], [how, how]);
  });

t.test('a chunk for which chance does not hold passes', async (t) => {
  const { proxy, client, peer } = await through(t);
  proxy.set(cut('before', 'RST', 0, new Random(7)), pass);
  client.socket.end('abcde');
  await until(() => peer.end !== 'open');
  t.equal(peer.received, 'abcde');
});

t.test('half-closed: one side sees a FIN, the other direction still passes', async (t) => {
  const { proxy, client, peer } = await through(t);
  for (const link of proxy.links) link.halfClose('server');
  await until(() => peer.end !== 'open');
  peer.socket.write('answer');
  await until(() => client.received !== '');
  t.same([peer.end, client.end, client.received], ['FIN', 'open', 'answer']);
});

t.test('held: nothing passes, then everything', async (t) => {
  const { proxy, client, peer } = await through(t);
  for (const link of proxy.links) link.hold(true);
  client.socket.write('abc');
  await sleep(50);
  t.equal(peer.received, '');
  for (const link of proxy.links) link.hold(false);
  await until(() => peer.received !== '');
  t.equal(peer.received, 'abc');
});

t.test('a reset of one side resets the other', async (t) => {
  const { client, peer } = await through(t);
  peer.socket.resetAndDestroy();
  await until(() => client.end !== 'open');
  t.equal(client.end, 'RST');
});

t.test('new connections: reset, or left without an answer until the fault ends', async (t) => {
  const { proxy } = await through(t);
  proxy.arrivals = 'reset';
  const refused = new End(connect(proxy.port, '127.0.0.1'));
  await until(() => refused.end !== 'open');
  t.equal(refused.end, 'RST');
  proxy.arrivals = 'hang';
  const hanging = new End(connect(proxy.port, '127.0.0.1'));
  hanging.socket.write('abc');
  await sleep(50);
  t.equal(hanging.end, 'open');
  proxy.clear();
  await until(() => hanging.end !== 'open');
  t.equal(hanging.end, 'RST');
});
