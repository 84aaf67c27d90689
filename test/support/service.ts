/**
 * The whole service as its users start it: `main.js serve` with a configuration file and a folder of scripts, in a
 * process group of its own, over a test's PostgreSQL. What it wrote is kept whole, so that tests can look for what must
 * not be there.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { childrenOf, soon, type LogLine } from '../supervisor/service.js';

// From dist-test/test/support to the project.
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** Keys of service.toml, with dots: `{'log.level': 'trace'}`. */
export type Configuration = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface ServiceOptions {
  /** URL of the database. */
  readonly database: string;
  /** Texts by path below the scripts folder: `shop/list.read.sql`. */
  readonly scripts?: Readonly<Record<string, string>>;
  readonly config?: Configuration;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
}

/** Service is one running service. */
export class Service {
  readonly pid: number;
  /** Exit status or signal, once every process that wrote to its output is gone. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly lines: LogLine[] = [];
  /** Everything written to standard output and standard error. */
  output = '';
  url = '';
  /** Folder of the configuration file; the scripts lie in `queries` below it. */
  readonly folder: string;
  readonly #database: string;

  constructor(t: Pick<Test, 'teardown'>, { database, scripts = {}, config = {} }: ServiceOptions) {
    this.folder = mkdtempSync(path.join(tmpdir(), 'service '));
    this.#database = database;
    mkdirSync(path.join(this.folder, 'queries'));
    for (const [name, text] of Object.entries(scripts)) this.script(name, text);
    this.configure(config);
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.pid = child.pid ?? 0;
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line) as LogLine);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
    });
    t.teardown(async () => {
      this.signalGroup('SIGKILL');
      await this.exited;
      rmSync(this.folder, { recursive: true });
    });
  }

  /** configure writes service.toml, which the start and SIGHUP read. */
  configure(config: Configuration): void {
    const keys = { 'http.port': 0, 'pg.url': this.#database, 'pg.ssl.mode': 'disable', ...config };
    const lines = Object.entries(keys).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
    writeFileSync(path.join(this.folder, 'service.toml'), lines.join(''), { mode: 0o600 });
  }

  /** script writes a script. */
  script(name: string, text: string): void {
    const file = path.join(this.folder, 'queries', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** listening waits until the service takes requests. */
  async listening(): Promise<this> {
    this.url = String((await this.line(({ msg }) => msg === 'listening'))['url']);
    return this;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** line waits for the first log line that is wanted. */
  line(wanted: (line: LogLine) => boolean): Promise<LogLine> {
    return soon('a log line', () => this.lines.find(wanted));
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

  /** ask sends one request; `target` is what follows `/_QUERIES/`, or a path. */
  async ask(target: string, { method = 'GET', ...options }: AskOptions = {}): Promise<Answer> {
    const url = this.url + (target.startsWith('/') ? target : `/_QUERIES/${target}`);
    const response = await fetch(url, { method, redirect: 'manual', ...options });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  /** rows is the rows a read gives. */
  async rows(target: string, options: AskOptions = {}): Promise<unknown> {
    const { status, text, json } = await this.ask(target, options);
    return status === 200 ? json : `${status} ${text}`;
  }

  /** error is an answer's status and code, `400 invalid_value`; the status alone when there is no error in it. */
  async error(target: string, options: AskOptions = {}): Promise<string> {
    const { status, json } = await this.ask(target, options);
    const code = (json as { code?: string } | undefined)?.code;
    return code === undefined ? String(status) : `${status} ${code}`;
  }
}

/** startService starts one and waits until it listens. */
export function startService(t: Pick<Test, 'teardown'>, options: ServiceOptions): Promise<Service> {
  return new Service(t, options).listening();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
