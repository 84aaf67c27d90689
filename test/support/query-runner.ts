/** A query runner over a test's PostgreSQL, with requests as an HTTP process sends them, and its log. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import type { Logger } from '#app/observe/log.js';
import { LISTING, packRequest, RUN, SCRIPT } from '#app/messages/batch.js';
import { createRing, ResponseReader, ResponseRing } from '#app/native/response-ring.js';
import { ResponseBatcher } from '#app/worker/responses/response-batcher.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import type { WorkerSettings } from '#app/messages/worker-settings.js';
import { WorkerServices } from '#app/worker/worker-services.js';
import { httpProcessSettings } from './http-process.js';

/** A line of the log: its level, fields and message. */
export type Logged = Readonly<Record<string, unknown>> & {
  readonly level: string;
  readonly msg: string;
};

export interface RunnerOptions {
  readonly database: DatabaseSettings;
  /** Texts by path below the scripts folder: `shop/list.read.sql`. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly settings?: Partial<WorkerSettings>;
}

/** The request's method, body and identity. */
export interface Ask {
  readonly method?: string;
  readonly body?: string;
  /** Its Content-Type, by default that of JSON. */
  readonly type?: string;
  readonly role?: string;
  readonly claims?: string;
}

export class TestRunner {
  readonly logged: Logged[] = [];
  readonly #services: WorkerServices;
  readonly #waiting = new Map<number, (answer: string) => void>();
  #asked = 0;

  constructor(t: Pick<Test, 'testdir'>, { database, scripts, settings }: RunnerOptions) {
    const folder = t.testdir({});
    for (const [name, text] of Object.entries(scripts)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const { worker } = httpProcessSettings();
    const all: WorkerSettings = {
      ...worker,
      databases: [database],
      defaultAlias: database.alias,
      scripts: folder,
      scriptsTable: undefined,
      deaths: new SharedArrayBuffer(8),
      serverStates: new SharedArrayBuffer(4),
      sending: new SharedArrayBuffer(4),
      responses: createRing(),
      connections: new Int32Array(new SharedArrayBuffer(12)).fill(database.connections, 0, 1)
        .buffer,
      metrics: undefined,
      shared: undefined,
      trace: undefined,
      ...settings,
    };
    const level = (name: string) => (fields: object, msg: string) =>
      this.logged.push({ level: name, ...fields, msg });
    const isLevelEnabled = (): boolean => false;
    const log = {
      info: level('info'),
      warn: level('warn'),
      error: level('error'),
      isLevelEnabled,
    };
    const reader = new ResponseReader(all.responses);
    const batcher = new ResponseBatcher(new ResponseRing(all.responses), () => {
      reader.read(undefined, (id, status, _type, _allow, body) => {
        this.#waiting.get(id)!(`${status} ${Buffer.from(body as Uint8Array).toString()}`);
        this.#waiting.delete(id);
      });
    });
    this.#services = new WorkerServices(all, log as unknown as Logger, batcher);
  }

  /** ask sends a request, `folder/name?query`, and gives status and body. */
  ask(
    target: string,
    { method = 'GET', body, type = 'application/json', role = '', claims = '' }: Ask = {},
  ): Promise<string> {
    const [, folder = '', name = '', query = ''] = /^(.*)\/([^?]*)\??(.*)$/.exec(target) ?? [];
    const id = ++this.#asked;
    const request = packRequest(
      id,
      method,
      'test',
      folder,
      name,
      query,
      body === undefined ? '' : `content-type\n${type}`,
      `r${id}`,
      role,
      claims,
      body && Buffer.from(body).toString('latin1'),
      false,
      false,
      folder === '' ? LISTING : SCRIPT,
    );
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#services.runner.take(RUN + request);
    });
  }
}
