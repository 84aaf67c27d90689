/** A whole service for a test: supervisor and front ends as processes of a group of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { frontEndSettings, type FrontEndOverrides } from '../support/front-end.js';

const PROGRAM = fileURLToPath(new URL('./fixtures/serve.js', import.meta.url));

export interface ServiceOptions extends FrontEndOverrides {
  readonly frontEnds?: number;
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** ServiceProcess is the supervisor of one service and what can be seen of it from outside. */
export class ServiceProcess {
  readonly lines: LogLine[] = [];
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly pid: number;
  readonly #folder: string;

  constructor(t: Test, options: ServiceOptions) {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'service-'));
    this.configure(options);
    const child = spawn(process.execPath, [PROGRAM, this.#configuration], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    this.pid = child.pid ?? 0;
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine);
    });
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
    });
    t.teardown(async () => {
      this.signalGroup('SIGKILL');
      await this.exited;
      rmSync(this.#folder, { recursive: true });
    });
  }

  get #configuration(): string {
    return path.join(this.#folder, 'service.json');
  }

  /** configure writes what the next start or reload reads. */
  configure({ frontEnds = 2, ...overrides }: ServiceOptions): void {
    const settings = frontEndSettings(overrides);
    writeFileSync(
      this.#configuration,
      JSON.stringify({
        frontEnds: Array.from({ length: frontEnds }, (_, index) => ({ ...settings, index })),
        grace: settings.grace,
      }),
    );
  }

  /** line waits for the n-th log line with that message. */
  async line(message: string, n = 1): Promise<LogLine> {
    return soon(`log line "${message}"`, () => {
      const found = this.lines.filter(({ msg }) => msg.includes(message));
      return found[n - 1];
    });
  }

  /** port waits until the service listens. */
  async port(): Promise<number> {
    return Number(new URL(String((await this.line('listening'))['url'])).port);
  }

  /** frontEnds is the process numbers of the front ends alive. */
  frontEnds(): number[] {
    return childrenOf(this.pid);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** signalGroup signals supervisor and front ends alike, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // nothing is left of the group
    }
  }
}

/** startService starts one and waits until it listens. */
export async function startService(
  t: Test,
  options: ServiceOptions = {},
): Promise<{ readonly service: ServiceProcess; readonly port: number }> {
  const service = new ServiceProcess(t, options);
  return { service, port: await service.port() };
}

/** soon waits until something is there, ten seconds at most. */
export async function soon<T>(what: string, look: () => T | undefined): Promise<T> {
  for (let i = 0; i < 500; i++) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(20);
  }
  throw new Error(`${what} did not come`);
}

/** childrenOf is the process numbers of a process's children. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    return [];
  }
}

/** alive tells whether a process is there. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A request that stays in flight until it is finished: its body comes in two parts. */
export class HeldRequest {
  readonly socket: net.Socket;
  /** Everything that came, once the connection is over; an error code when it was reset. */
  readonly closed: Promise<string>;
  text = '';

  private constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    this.closed = new Promise((resolve) => {
      this.socket.on('data', (chunk) => (this.text += chunk.toString()));
      this.socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      this.socket.on('close', () => resolve(this.text));
    });
  }

  /** begin sends the first part and waits until the front end must have it. */
  static async begin(port: number): Promise<HeldRequest> {
    const held = new HeldRequest(port);
    held.socket.write('POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na');
    await sleep(100);
    return held;
  }

  finish(): void {
    this.socket.write('b');
  }
}
