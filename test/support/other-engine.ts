/**
 * A PostgreSQL that behaves in part as another engine that speaks its protocol: a proxy before a test's PostgreSQL that
 * changes the texts of statements. What the engine does not know, by its documentation, becomes a statement that PostgreSQL
 * refuses with the same SQLSTATE. It shows what the service does with such refusals, not that it works with the engine.
 */
import net, { type AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { Postgres } from './postgres.js';

/** What is found in the text of a statement, and what replaces it. */
export type Rules = readonly (readonly [found: RegExp, by: string])[];

/** PostgreSQL parses none of these: feature_not_supported, undefined_function. */
const UNSUPPORTED = 'SELECT count(*) FROM pg_class FOR UPDATE';
const UNDEFINED = 'SELECT an_undefined_function()';

/** The whole text that has something. */
function having(pattern: string): RegExp {
  return new RegExp(`^[^]*(?:${pattern})[^]*$`);
}

/** YugabyteDB 2025.1, and its trigger functions in which pg_notify fails. */
export const YUGABYTEDB: Rules = [
  [/pg_catalog\.version\(\)/, `'PostgreSQL 15.2-YB-2025.1.0.0-b168 on x86_64-pc-linux-gnu'::text`],
  [having('\\bx(?:min|max)\\b|^LISTEN|pg_advisory_xact_lock|LOCK TABLE'), UNSUPPORTED],
  [/\bpg_notify\(/g, 'an_undefined_function('],
];

/** CockroachDB 25.2, whose ids are larger than the integers of JavaScript. */
export const COCKROACHDB: Rules = [
  [
    /pg_catalog\.version\(\)/,
    `'CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu, built 2025/06/16 12:00:00, go1.23.7)'::text`,
  ],
  [
    having('\\bx(?:min|max)\\b|^LISTEN|^DO\\b|MATERIALIZED|\\]\\)\\[\\d|^SELECT WHERE'),
    UNSUPPORTED,
  ],
  [
    having('hashtextextended|hashint8extended|pg_walfile_name|pg_control_system|pg_rewrite'),
    UNDEFINED,
  ],
  [/\bid serial\b/, 'id bigint DEFAULT 1082745612345678901 + (random() * 1e6)::bigint'],
];

export interface OtherEngine extends Pick<Postgres, 'host' | 'port' | 'password' | 'url'> {
  /** Texts of statements that were changed, as they were sent. */
  readonly changed: string[];
  /** Number of connections so far. */
  connections: number;
}

/** startOtherEngine starts the proxy, which ends with the test. */
export async function startOtherEngine(
  t: Pick<Test, 'teardown'>,
  server: Postgres,
  rules: Rules,
): Promise<OtherEngine> {
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    engine.connections++;
    const upstream = net.connect(server.port, server.host);
    const reader = new Reader(rules, engine.changed);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => upstream.write(reader.read(bytes)));
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = proxy.address() as AddressInfo;
  const url = new URL(server.url);
  url.host = `127.0.0.1:${port}`;
  const { password } = server;
  const engine: OtherEngine = {
    host: '127.0.0.1',
    port,
    password,
    url: url.href,
    changed: [],
    connections: 0,
  };
  return engine;
}

/** Codes of requests for encryption, behind which the startup message follows. */
const ENCRYPTION: ReadonlySet<number> = new Set([80_877_103, 80_877_104]);

/** Reads the messages of a client, and changes the texts in Parse and Query. */
class Reader {
  readonly #rules: Rules;
  readonly #changed: string[];
  #pending = Buffer.alloc(0);
  #isStarted = false;

  constructor(rules: Rules, changed: string[]) {
    this.#rules = rules;
    this.#changed = changed;
  }

  /** read gives what is to be sent on. */
  read(bytes: Buffer): Buffer {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    const sent: Buffer[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) sent.push(next);
    return Buffer.concat(sent);
  }

  /** The next whole message. */
  #next(): Buffer | undefined {
    const type = this.#isStarted ? 1 : 0;
    if (this.#pending.length < type + 8 && !(type === 1 && this.#pending.length >= 5))
      return undefined;
    const length = type + this.#pending.readInt32BE(type);
    if (this.#pending.length < length) return undefined;
    const message = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    if (type === 1) return this.#changedMessage(message);
    this.#isStarted = !ENCRYPTION.has(message.readInt32BE(4));
    return message;
  }

  #changedMessage(message: Buffer): Buffer {
    const type = String.fromCharCode(message[0]!);
    if (type !== 'P' && type !== 'Q') return message;
    const start = type === 'P' ? message.indexOf(0, 5) + 1 : 5;
    const end = message.indexOf(0, start);
    const text = message.toString('utf8', start, end);
    let changed = text;
    for (const [found, by] of this.#rules) changed = changed.replace(found, () => by);
    if (changed === text) return message;
    this.#changed.push(text);
    const all = Buffer.concat([
      message.subarray(0, start),
      Buffer.from(changed),
      message.subarray(end),
    ]);
    all.writeInt32BE(all.length - 1, 1);
    return all;
  }
}
