/** Three PostgreSQL servers under Patroni, with one etcd, as packaging/patroni has them. They end with the test. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { chownSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverUser } from '#scripts/embedded-cluster.mjs';
import { startProxy, type Proxy } from './black-hole.js';
import { environment } from './process-group.js';
import { freePort } from '#scripts/free-port.mjs';
import { spawnGroup, type TestEnd } from './spawn-group.js';
import { until } from './until.js';

const FILE = new URL('../../../packaging/patroni/patroni.yml', import.meta.url);
const NODES = 3;

/** The programs of PostgreSQL that Patroni runs, where Debian puts them; undefined without them, etcd or Patroni. */
export function patroniPrograms(): string | undefined {
  const versions = '/usr/lib/postgresql';
  if (!existsSync('/usr/bin/patroni') || !existsSync('/usr/bin/etcd') || !existsSync(versions))
    return undefined;
  const newest = readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0];
  const folder = path.join(versions, newest ?? '', 'bin');
  return existsSync(path.join(folder, 'pg_rewind')) ? folder : undefined;
}

/** A node is reached over a network that can be cut: proxies. */
interface Node {
  readonly name: string;
  /** Ports of PostgreSQL and of Patroni's REST API, as others reach them. */
  readonly port: number;
  readonly api: number;
  /** Where PostgreSQL and the REST API listen, and the port of etcd as the node reaches it. */
  readonly own: { readonly port: number; readonly api: number; readonly etcd: number };
  readonly network: readonly Proxy[];
  readonly data: string;
}

export class Patroni {
  readonly nodes: readonly Node[];
  readonly #t: TestEnd;
  readonly #folder: string;

  private constructor(t: TestEnd, folder: string, nodes: readonly Node[]) {
    this.#t = t;
    this.#folder = folder;
    this.nodes = nodes;
  }

  /** start resolves once there is a primary and two standbys that stream from it. */
  static async start(t: TestEnd, programs: string): Promise<Patroni> {
    const folder = mkdtempSync(path.join(tmpdir(), 'patroni-'));
    give(folder);
    const [client, peer] = [await freePort(), await freePort()];
    const nodes: Node[] = [];
    const through = (port: number): Promise<Proxy> =>
      startProxy(t, { host: '127.0.0.1', port, password: '' });
    const toEtcd = await Promise.all(Array.from({ length: NODES }, () => through(client)));
    for (const [i, etcd] of toEtcd.entries()) {
      const own = { port: await freePort(), api: await freePort(), etcd: etcd.port };
      const [server, api] = [await through(own.port), await through(own.api)];
      const data = path.join(folder, `data-${i}`);
      const network = [etcd, server, api];
      nodes.push({ name: `node-${i}`, port: server.port, api: api.port, own, network, data });
    }
    const cluster = new Patroni(t, folder, nodes);
    t.teardown(async () => {
      nodes.forEach((node) => cluster.#signal(node, 'SIGKILL'));
      await until(() => nodes.every((node) => cluster.#processes(node).length === 0));
      rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
    });
    const at = (port: number) => `http://127.0.0.1:${port}`;
    cluster.#spawn([
      'etcd',
      ...['--data-dir', path.join(folder, 'etcd'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
      ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
      ...['--initial-cluster', `default=${at(peer)}`],
    ]);
    for (const node of nodes) {
      writeFileSync(file(folder, node), configuration(node, folder, programs));
      give(file(folder, node));
      cluster.startNode(node);
    }
    await cluster.complete();
    return cluster;
  }

  /** startNode starts Patroni of a node, which starts its PostgreSQL. */
  startNode(node: Node): void {
    this.#spawn(['patroni', file(this.#folder, node)]);
  }

  /** killNode kills Patroni and PostgreSQL of a node, as a power failure does. */
  async killNode(node: Node): Promise<void> {
    await until(() => {
      this.#signal(node, 'SIGKILL');
      return this.#processes(node).length === 0;
    });
  }

  /** cutOff cuts the network of a node: it reaches nobody, and nobody reaches it. */
  cutOff({ network }: Node): void {
    for (const proxy of network) {
      proxy.swallow('nothing');
      proxy.deafen(true);
    }
  }

  /** mend ends that; connections of before are reset. */
  mend({ network }: Node): void {
    for (const proxy of network) {
      proxy.deafen(false);
      proxy.cut();
    }
  }

  /** primary is the node that is the primary according to the others; undefined while there is none. */
  async primary(): Promise<Node | undefined> {
    const members = await this.#members();
    const leader = members.find(({ role, state }) => role === 'leader' && state === 'running');
    return this.nodes.find(({ name }) => name === leader?.name);
  }

  /** newPrimary waits for a primary that is another node. */
  async newPrimary(old: Node): Promise<Node> {
    let found: Node | undefined;
    await until(async () => {
      found = await this.primary();
      return found !== undefined && found !== old;
    });
    return found!;
  }

  /** complete waits until there is a primary, and all others stream from it, one of them synchronously. */
  async complete(): Promise<void> {
    await until(async () => {
      const members = await this.#members();
      const follow = members.filter(
        ({ role, state, lag }) => role !== 'leader' && /running|streaming/.test(state) && lag === 0,
      );
      return (
        members.some(({ role }) => role === 'leader') &&
        members.some(({ role }) => role === 'sync_standby') &&
        follow.length === NODES - 1
      );
    });
  }

  /** switchover makes the synchronous standby the primary, as an operator asks for it. */
  async switchover(): Promise<void> {
    const members = await this.#members();
    const leader = members.find(({ role }) => role === 'leader')!.name;
    const candidate = members.find(({ role }) => role === 'sync_standby')!.name;
    const { api } = this.nodes.find(({ name }) => name === leader)!;
    const body = JSON.stringify({ leader, candidate });
    const answer = await fetch(`http://127.0.0.1:${api}/switchover`, { method: 'POST', body });
    if (answer.status !== 200) throw new Error(await answer.text());
  }

  /** What the first node that answers says of all. */
  async #members(): Promise<readonly Member[]> {
    for (const { api } of this.nodes)
      try {
        const signal = AbortSignal.timeout(1_000);
        const answer = await fetch(`http://127.0.0.1:${api}/cluster`, { signal });
        return ((await answer.json()) as { members: Member[] }).members;
      } catch {
        // the next one
      }
    return [];
  }

  #spawn(program: readonly string[]): void {
    const { ids } = serverUser(() => undefined);
    const env = { ...environment(), HOME: this.#folder, LC_ALL: 'C.UTF-8' };
    const options = { cwd: this.#folder, env, ...ids, stdio: 'ignore' as const };
    spawnGroup(this.#t, program, options);
  }

  #signal(node: Node, signal: NodeJS.Signals): void {
    for (const pid of this.#processes(node))
      try {
        process.kill(pid, signal);
      } catch {
        // it has ended
      }
  }

  /** Patroni and all processes of PostgreSQL: the former has its file as argument, the latter work in the data folder. */
  #processes(node: Node): number[] {
    const own = file(this.#folder, node);
    const data = path.resolve(node.data);
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return (
            readlinkSync(`/proc/${pid}/cwd`) === data ||
            readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(own)
          );
        } catch {
          return false;
        }
      })
      .map(Number);
  }
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | string;
}

const file = (folder: string, { name }: Node): string => path.join(folder, `${name}.yml`);

/** PostgreSQL does not run as root, and so neither does Patroni. */
function give(name: string): void {
  const { uid, gid } = serverUser(() => undefined).ids;
  if (uid !== undefined && gid !== undefined) chownSync(name, uid, gid);
}

/** The file of packaging/patroni for a node, with shorter times. */
function configuration(node: Node, folder: string, programs: string): string {
  const { port, api, own } = node;
  const replacements: readonly (readonly [RegExp, string])[] = [
    [/name: node-0/, `name: ${node.name}`],
    [/ listen: 127\.0\.0\.1:8008/, ` listen: 127.0.0.1:${own.api}`],
    [/127\.0\.0\.1:8008/, `127.0.0.1:${api}`],
    [/ listen: 127\.0\.0\.1:5432/, ` listen: 127.0.0.1:${own.port}`],
    [/127\.0\.0\.1:5432/, `127.0.0.1:${port}`],
    // Otherwise Patroni asks etcd for its own address, which leads past the proxy.
    [/127\.0\.0\.1:2379/, `127.0.0.1:${own.etcd}\n  use_proxies: true`],
    [/\/var\/lib\/postgresql\/shop\.pgpass/, path.join(folder, `${node.name}.pgpass`)],
    [/\/var\/lib\/postgresql\/shop/, node.data],
    [/\/var\/lib\/postgresql$/m, folder],
    [/\/usr\/lib\/postgresql\/15\/bin/, programs],
    [/ttl: 30/, 'ttl: 8'],
    [/loop_wait: 10/, 'loop_wait: 1'],
    [/retry_timeout: 10/, 'retry_timeout: 3'],
    [/ {4}- data-checksums/, '    - data-checksums\n    - no-sync'],
    [/max_connections: 100/, "max_connections: 100\n        fsync: 'off'"],
  ];
  return replacements.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    readFileSync(FILE, 'utf8'),
  );
}
