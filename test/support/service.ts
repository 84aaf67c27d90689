/**
 * The whole service as its users start it: `main.js serve` with a configuration file and a folder of scripts, over a
 * test's PostgreSQL.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { ProcessGroup, type Output } from './process-group.js';

// From dist-test/test/support to the project.
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

/** Keys of service.toml, with dots: `{'log.level': 'trace'}`. */
export type Configuration = Readonly<Record<string, Value>>;

export interface ServiceOptions {
  /** URL of the database. */
  readonly database: string;
  /** Texts by path below the scripts folder: `shop/list.read.sql`. */
  readonly scripts?: Readonly<Record<string, string>>;
  readonly config?: Configuration;
  /** The command that runs it, `serve` by default. */
  readonly command?: 'serve' | 'dev';
  /** Folder of another revision that is built, which runs instead of this one. */
  readonly revision?: string | undefined;
  /** Puts more into its folder before it starts. */
  readonly prepare?: (folder: string) => void;
  /** Its standard output; a pipe otherwise. */
  readonly output?: Output;
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
export class Service extends ProcessGroup {
  url = '';
  readonly #database: string;

  constructor(t: Pick<Test, 'teardown'>, options: ServiceOptions) {
    const { database, scripts = {}, config = {}, prepare, output } = options;
    const { command = 'serve', revision = PROJECT } = options;
    const fill = (folder: string): readonly string[] => {
      mkdirSync(path.join(folder, 'queries'));
      for (const [name, text] of Object.entries(scripts)) writeScript(folder, name, text);
      writeConfiguration(folder, database, config);
      prepare?.(folder);
      return [path.join(revision, 'dist/main.js'), command];
    };
    super(t, fill, output);
    this.#database = database;
  }

  /** configure writes service.toml, which SIGHUP reads. */
  configure(config: Configuration): void {
    writeConfiguration(this.folder, this.#database, config);
  }

  /** script writes a script. */
  script(name: string, text: string): void {
    writeScript(this.folder, name, text);
  }

  /** listening waits until the service takes requests. */
  async listening(): Promise<this> {
    this.url = String((await this.line(({ msg }) => msg === 'listening'))['url']);
    return this;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** ask sends one request; `target` is what follows `/_QUERIES/`, or a path. */
  async ask(target: string, { method = 'GET', ...options }: AskOptions = {}): Promise<Answer> {
    const url = this.url + (target.startsWith('/') ? target : `/_QUERIES/${target}`);
    const response = await fetch(url, { method, redirect: 'manual', ...options }).catch(explain);
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

function writeConfiguration(folder: string, database: string, config: Configuration): void {
  const keys = { 'http.port': 0, 'pg.url': database, 'pg.ssl.mode': 'disable', ...config };
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${toml(value)}\n`);
  writeFileSync(path.join(folder, 'service.toml'), lines.join(''), { mode: 0o600 });
}

function toml(value: Value): string {
  if (Array.isArray(value)) return `[${value.map((item: Value) => toml(item)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${key} = ${toml(member)}`);
  return `{ ${members.join(', ')} }`;
}

function writeScript(folder: string, name: string, text: string): void {
  const file = path.join(folder, 'queries', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** explain puts the cause of a failed fetch into its message. */
function explain(error: unknown): never {
  const { message, cause, name } = error as Error;
  // Tests tell requests that they aborted themselves by their names.
  if (name !== 'TypeError') throw error;
  throw new TypeError(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
