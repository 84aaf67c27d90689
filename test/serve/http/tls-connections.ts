/** Many connections with TLS at a time, each with requests of its own. */
import { once } from 'node:events';
import tls from 'node:tls';
import type { Test } from 'tap';
import { Gate } from '../../support/gate.js';
import type { Postgres } from '../../support/postgres.js';
import { requestBytes } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

/** The scripts that connectionsTest requests, over a database with GATES. */
export const CONNECTION_SCRIPTS = {
  'echo.read.sql': `SELECT {{sqlVal "word"}} AS word`,
  'gate.read.sql': `SELECT wait_at('all') || {{sqlVal "word"}} AS word`,
};

/** A service whose queue is full once each connection has a request in flight, and the certificate that it has. */
export interface Served {
  readonly port: number;
  readonly postgres: Postgres;
  readonly ca: string;
}

/** Sends a request on a connection and gives status and body of the response; what came, where the connection ends. */
function askOn(socket: tls.TLSSocket, target: string): Promise<string> {
  socket.write(requestBytes('GET', target));
  let text = '';
  return new Promise((resolve) => {
    const closed = (): void => resolve(`closed after '${text}'`);
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const [, status, body] = /^HTTP\/1\.1 (\d+) [^]*?\r\n\r\n(.*[\]}])$/.exec(text) ?? [];
      if (body === undefined) return;
      socket.off('data', read).off('close', closed);
      resolve(`${status} ${body}`);
    };
    socket.on('data', read).on('close', closed);
  });
}

/** connectionsTest makes the test of a number of connections. */
export function connectionsTest(t: Test, { port, postgres, ca }: Served, count: number): void {
  t.test(`${count} connections`, async (t) => {
    // uWebSockets.js closes connections that are idle for 10 s, and those whose handshake takes so long: few handshakes run
    // at a time, and connections wait with a request in flight.
    const TOGETHER = 25;
    const gate = new Gate(postgres, 'all');
    const secureContext = tls.createSecureContext({ ca });
    const connect = (): tls.TLSSocket =>
      tls.connect({ port, host: '127.0.0.1', secureContext }).on('error', () => undefined);
    const sockets: tls.TLSSocket[] = [];
    t.teardown(() => sockets.forEach((socket) => socket.destroy()));
    const first: Promise<string>[] = [];
    const second: Promise<string>[] = [];
    const open = async (): Promise<void> => {
      while (sockets.length < count) {
        const n = sockets.length;
        const socket = connect();
        sockets.push(socket);
        await once(socket, 'secureConnect');
        first[n] = askOn(socket, `/_QUERIES/t/gate?word=${n}`);
        second[n] = first[n].then(() => askOn(socket, `/_QUERIES/t/echo?word=${n}`));
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, open));
    // All have a request in flight.
    await until(async () => {
      const socket = connect();
      const answer = await askOn(socket, '/nope');
      socket.destroy();
      return answer.startsWith('503 ');
    });
    await gate.open();
    const wanted = sockets.map((_, n) => `200 [{"word":"${n}"}]`);
    t.strictSame(await Promise.all(first), wanted);
    t.strictSame(await Promise.all(second), wanted);
  });
}
