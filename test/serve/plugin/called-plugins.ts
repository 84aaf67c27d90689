/** Runs plugin calls as an HTTP process does, with the libraries of a supervisor, but without either process. */
import path from 'node:path';
import type { Test } from 'tap';
import type { ServiceError } from '#app/base/errors.js';
import type { Logger } from '#app/observe/log.js';
import { Plugins, type PluginCall } from '#app/serve/plugin/plugins.js';
import type { PluginSettings } from '#app/messages/http-settings.js';
import { PluginLibraries, type LibraryRequester } from '#app/serve/supervisor/plugin-libraries.js';
import { PluginFolder } from '../../support/plugin-folder.js';
import { until } from '../../support/until.js';

/** The result of a call: a response, or the code of an error. */
export interface Result {
  readonly status: number;
  readonly text: string;
  readonly typed: boolean;
  readonly lines: string;
  /** Empty for a response. */
  readonly code: string;
}

export interface LogEntry {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A folder with the plugin `probe` (test/serve/plugin/plugins/probe.c). */
export function probeFolder(t: Pick<Test, 'teardown'>): PluginFolder {
  const folder = new PluginFolder(t);
  folder.compile('probe', path.join(process.cwd(), 'test/serve/plugin/plugins', 'probe.c'));
  return folder;
}

/** The plugins of one HTTP process. */
export class CalledPlugins {
  readonly log: LogEntry[] = [];
  readonly libraries: PluginLibraries;
  readonly #plugins: Plugins;
  readonly #waiting = new Map<number, (result: Result) => void>();
  readonly #asker: LibraryRequester;
  /** Keeps the process alive, which Plugins does not. */
  readonly #awake = setInterval(() => undefined, 1_000);
  #last = 0;

  constructor(
    t: Pick<Test, 'teardown'>,
    folder: PluginFolder,
    settings: Partial<PluginSettings> = {},
    { libraries = new PluginLibraries(), hostFile = undefined as string | undefined } = {},
  ) {
    this.libraries = libraries;
    this.#asker = {
      send: (message, sent) => {
        setImmediate(() => {
          this.#plugins.arrived(message);
          sent(null);
        });
      },
    };
    const source = {
      request: (name: string) => libraries.request(folder.path, name, this.#asker),
      loaded: (name: string, loaded: boolean) =>
        libraries.loaded(folder.path, name, this.#asker, loaded),
    };
    const results = {
      answered: (id: number, status: number, typed: boolean, lines: string, body: Uint8Array) =>
        this.#settle(id, { status, typed, lines, text: Buffer.from(body).toString(), code: '' }),
      failed: (id: number, { status, message, code }: ServiceError) =>
        this.#settle(id, { status, typed: false, lines: '', text: message, code }),
    };
    const all: PluginSettings = {
      path: folder.path,
      isolation: 'process',
      threads: 2,
      timeout: 3_600_000,
      maxResponse: 8 << 20,
      maxMemory: 1 << 30,
      environment: [],
      ...settings,
    };
    this.#plugins = new Plugins(all, source, results, this.#logger(), hostFile);
    t.teardown(() => this.close());
  }

  /** Calls a handler, `file/func?query`. */
  call(target: string, method = 'GET', body?: Uint8Array): Promise<Result> {
    return this.submit(target, method, body).result;
  }

  /** The same, with the id of the call for `abandon`. */
  submit(
    target: string,
    method = 'GET',
    body?: Uint8Array,
  ): { id: number; result: Promise<Result> } {
    const id = ++this.#last;
    const result = new Promise<Result>((resolve) => this.#waiting.set(id, resolve));
    this.#plugins.submit(callOf(id, target, method, body));
    return { id, result };
  }

  abandon(id: number): void {
    this.#waiting.delete(id);
    this.#plugins.abandon(id);
  }

  /** The id of the host process. */
  async pid(): Promise<number> {
    return Number((await this.call('probe/Pid')).text);
  }

  /** Repeats a call until it succeeds. */
  succeeds(target: string): Promise<Result> {
    return until(async () => {
      const result = await this.call(target);
      return result.code === '' && result;
    }, 50);
  }

  /** The id of the host process, once it is another one. */
  otherPid(than: number): Promise<number> {
    return until(async () => {
      const pid = await this.pid();
      return pid !== than && pid;
    }, 50);
  }

  /** Notifies the supervisor as if the HTTP process had died. */
  gone(): void {
    this.libraries.gone(this.#asker);
  }

  close(): void {
    clearInterval(this.#awake);
    this.#plugins.close();
  }

  /** The fields of the log lines that contain a text. */
  logged(text: string): Readonly<Record<string, unknown>>[] {
    return this.log.filter((entry) => entry.text.includes(text)).map(({ fields }) => fields);
  }

  #settle(id: number, result: Result): void {
    const resolve = this.#waiting.get(id);
    if (resolve === undefined) throw new Error(`a second result of call ${id}`);
    this.#waiting.delete(id);
    resolve(result);
  }

  #logger(): Logger {
    const write =
      (level: string) =>
      (first: unknown, second?: unknown): void => {
        const fields = typeof first === 'string' ? {} : (first as LogEntry['fields']);
        this.log.push({ level, fields, text: String(typeof first === 'string' ? first : second) });
      };
    return { warn: write('warn'), error: write('error'), info: write('info') } as unknown as Logger;
  }
}

/** A call of `file/func?query`. */
export function callOf(id: number, target: string, method = 'GET', body?: Uint8Array): PluginCall {
  const [where = '', query = ''] = target.split('?');
  const [file = '', func = ''] = where.split('/');
  return {
    id,
    method,
    file,
    func,
    path: `/_PLUGIN/${where}`,
    query,
    headers: '',
    requestId: `r${id}`,
    user: '',
    claims: '',
    body,
  };
}

/** timed is what a promise came to and how long that took (milliseconds). */
export async function timed<T>(promise: Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await promise, performance.now() - began];
}
