/** A service that is driven step by step, and compared with the model after each. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { freePort } from '#scripts/free-port.mjs';
import { ProcessGroup } from '../../support/process-group.js';
import { HeldRequest, requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { PROCESSES, ServiceModel, type Action, type Slot } from './service-model.js';
import type { Version } from './service-model.js';
import { configurationOf, writeConfiguration } from './service.js';

const PROGRAM = fileURLToPath(new URL('./fixtures/serve-held.js', import.meta.url));

/** How long the service may differ from the model before that is printed (milliseconds). */
const REPORTED = 10_000;

/** Signals that follow each other faster count as one (milliseconds). */
const APART = 600;

export class DrivenService {
  readonly #t: Test;
  readonly #model = new ServiceModel();
  readonly #service: ProcessGroup;
  readonly #ports: readonly number[];
  /** What waits: processes that start, by process number, and reloads that read. */
  readonly #starting = new Map<number, net.Socket>();
  readonly #reading = new Set<net.Socket>();
  readonly #pids = new Map<Slot, number>();
  #requests: HeldRequest[] = [];
  #exited: number | string | undefined;
  /** The last action, and since when the service differs. */
  #after = '';
  #since = 0;
  #turns = 0;
  /** How many signals of the model were sent. */
  #signals = 0;

  private constructor(t: Test, ports: readonly number[]) {
    this.#t = t;
    this.#ports = ports;
    const holds = net.createServer({ allowHalfOpen: true }, (socket) => this.#held(socket));
    t.teardown(() => holds.close());
    this.#service = new ProcessGroup(t, (folder) => {
      const socket = path.join(folder, 'holds');
      holds.listen(socket);
      return [PROGRAM, writeConfiguration(folder, this.#optionsOf({ id: 1, port: 0 })), socket];
    });
    void this.#service.exited.then((exit) => (this.#exited = exit));
  }

  /** follow starts a service, takes it through some actions, and compares it with the model after each. */
  static async follow(t: Test, actions: readonly Action[]): Promise<void> {
    const taken = net.createServer().listen(0, '127.0.0.1');
    t.teardown(() => taken.close());
    const ports = [await freePort(), await freePort(), (taken.address() as net.AddressInfo).port];
    const driven = new DrivenService(t, ports);
    await driven.#compare('start');
    for (const action of actions) {
      await driven.#act(action);
      driven.#model.apply(action);
      await driven.#compare(JSON.stringify(action));
    }
  }

  async #act(action: Action): Promise<void> {
    switch (action.kind) {
      case 'SIGHUP':
      case 'SIGTERM':
      case 'SIGINT':
        if (action.kind !== 'SIGHUP' && this.#model.phase === 'stopping') await sleep(APART);
        this.#service.signal(action.kind);
        this.#signals++;
        break;
      case 'hold':
        await this.#hold();
        break;
      case 'finish':
        await this.#finish();
        break;
      case 'answer': {
        const { version } = action;
        const text = JSON.stringify(configurationOf(this.#optionsOf(version)));
        const [socket] = this.#reading;
        this.#reading.delete(socket!);
        socket!.end(version.flaw === 'unreadable' ? '{' : flawed(text, version));
        break;
      }
      case 'open':
      case 'kill': {
        const slot = this.#model.groups[action.group][action.index]!;
        const pid = this.#pids.get(slot)!;
        const socket = this.#starting.get(pid);
        this.#starting.delete(pid);
        if (action.kind === 'kill') {
          // What the process has sent is read before its death is seen.
          for (let turn = 0; turn < 2; turn++) await this.#turn();
          this.#pids.delete(slot);
          process.kill(pid, 'SIGKILL');
        }
        socket?.destroy();
      }
    }
  }

  /** Waits until the event loop of the supervisor has turned. */
  async #turn(): Promise<void> {
    this.#service.signal('SIGUSR2');
    await this.#service.line('received SIGUSR2', ++this.#turns);
  }

  /** Waits until the service is as the model says. */
  async #compare(after: string): Promise<void> {
    const model = this.#model;
    const { slots } = model;
    const held = slots.filter(({ state }) => state === 'held');
    await until(async () => {
      const differences = await this.#differences(held.length);
      this.#report(after, differences);
      return differences.length === 0;
    });
    const fresh = held.filter((slot) => !this.#pids.has(slot));
    const known = new Set(this.#pids.values());
    const pids = [...this.#starting.keys()].filter((pid) => !known.has(pid)).sort((a, b) => a - b);
    for (const [i, slot] of fresh.entries()) this.#pids.set(slot, pids[i]!);
    this.#t.pass(`${after}: ${model.state}`);
    if (model.phase === 'ended') this.#t.equal(this.#exited, model.code, this.#service.output);
  }

  /** Prints what is different for long: the test waits until its limit. */
  #report(after: string, differences: readonly string[]): void {
    if (differences.length === 0 || after !== this.#after) this.#since = performance.now();
    this.#after = after;
    if (performance.now() - this.#since < REPORTED) return;
    this.#since = Infinity;
    console.error(`after ${after}, ${this.#model.state}:\n  ${differences.join('\n  ')}`);
  }

  /** What is not as the model says: the number of processes, lines of the log, or what a port answers. */
  async #differences(held: number): Promise<string[]> {
    const model = this.#model;
    const { slots } = model;
    const found: string[] = [];
    const expect = (what: string, is: unknown, expected: unknown): void => {
      if (is !== expected) found.push(`${what}: ${String(is)}, not ${String(expected)}`);
    };
    for (const pid of this.#starting.keys())
      if (!this.#service.httpProcesses().includes(pid)) this.#starting.delete(pid);
    expect('HTTP processes', this.#service.httpProcesses().length, slots.length);
    expect('of them starting', this.#starting.size, held);
    if (model.phase !== 'stopping')
      expect('reading', this.#reading.size, model.phase === 'reading' ? 1 : 0);
    const received = this.#service.lines.filter(({ msg }) => msg.startsWith('received '));
    expect('signals', received.length - this.#turns, this.#signals);
    expect('ended', this.#exited !== undefined, model.phase === 'ended');
    for (const [line, count] of Object.entries(model.lines))
      expect(line, this.#service.lines.filter(({ msg }) => isLine(msg, line)).length, count);
    if (found.length > 0) return found;
    for (const slot of slots) {
      if (slot.state !== 'up') continue;
      const port = this.#ports[slot.version.port]!;
      const isOpen = hasSocket(this.#pids.get(slot)!, socketsOf(port));
      expect(`${slot.version.id}/${slot.index} listens`, isOpen, model.accepts(slot));
    }
    const ask = async (port: number): Promise<void> => {
      const version = await this.#versionAt(this.#ports[port]!);
      const answering = model.answering(port);
      if (answering.size === 0 ? version !== 0 : !answering.has(version))
        found.push(`port ${port}: version ${version}, not ${[...answering].join(' or ')}`);
    };
    // Several times: HTTP processes share the port.
    await Promise.all(Array.from({ length: 4 * PROCESSES }, (_, i) => ask(i % 2)));
    return found;
  }

  /** The version that answers on a port, 0 when none does. */
  async #versionAt(port: number): Promise<number> {
    const ids = new Set(this.#model.slots.map(({ version }) => version.id));
    const asked = [...ids, 0];
    const requests = asked.map((id) => requestBytes('GET', `/v${id}/_health`));
    const { text } = await sendRaw(port, requests.join(''), { responses: asked.length });
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    return asked[statuses.findIndex((status) => status !== '404')] ?? 0;
  }

  #optionsOf(version: Version): Parameters<typeof configurationOf>[0] {
    const { id, port } = version;
    return { context: `/v${id}`, port: this.#ports[port]!, httpProcesses: PROCESSES };
  }

  #held(socket: net.Socket): void {
    socket.on('error', () => undefined);
    socket.once('data', (line: Buffer) => {
      const [what, pid] = line.toString().trim().split(' ');
      if (what === 'start') this.#starting.set(Number(pid), socket);
      else {
        this.#reading.add(socket);
        socket.once('end', () => this.#reading.delete(socket));
      }
    });
  }

  /** Begins requests until each process has one. */
  async #hold(): Promise<void> {
    const { current } = this.#model.groups;
    const port = this.#ports[current[0]!.version.port]!;
    const without = new Set(current.map((slot) => this.#pids.get(slot)!));
    while (without.size > 0) {
      const request = await HeldRequest.begin(port);
      this.#requests.push(request);
      const ends = socketsOf(port, request.socket.localPort);
      for (const pid of without) if (hasSocket(pid, ends)) without.delete(pid);
    }
  }

  async #finish(): Promise<void> {
    for (const request of this.#requests) request.finish();
    await until(() => this.#requests.every(({ text, socket }) => text !== '' || socket.closed));
    for (const { socket } of this.#requests) socket.destroy();
    this.#requests = [];
  }
}

/** Tells a line of the log by its beginning. */
function isLine(msg: string, line: string): boolean {
  return msg === line || msg.startsWith(`${line},`);
}

/** The second HTTP process of a version that is unstartable has a log level that there is not. */
function flawed(text: string, { flaw }: Version): string {
  if (flaw !== 'unstartable') return text;
  const last = text.lastIndexOf('"level":"fatal"');
  return `${text.slice(0, last)}"level":"nonsense"${text.slice(last + '"level":"fatal"'.length)}`;
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** The inodes of a server's sockets: those that listen, or its ends of the connections of a client. */
function socketsOf(server: number, client = 0): string[] {
  const row = new RegExp(`^ *\\d+: \\w+:${hex(server)} \\w+:${hex(client)} (.*)$`, 'gm');
  const rows = readFileSync('/proc/net/tcp', 'utf8').matchAll(row);
  return Array.from(rows, ([, rest]) => rest!.split(/ +/)[INODE]!);
}

/** Its place in a row of /proc/net/tcp, after the two addresses. */
const INODE = 6;

/** Whether a process has one of these sockets. */
function hasSocket(pid: number, sockets: readonly string[]): boolean {
  const folder = `/proc/${pid}/fd`;
  const target = (name: string): string => {
    try {
      return readlinkSync(path.join(folder, name));
    } catch {
      return ''; // closed meanwhile
    }
  };
  try {
    return readdirSync(folder).some((name) => sockets.includes(target(name).slice(8, -1)));
  } catch {
    return false; // the process has ended
  }
}
