/**
 * What happens during the soak: scripts are edited all the time, and each minute has the same faults in the same order, so
 * that one minute can be compared with another. Processes are replaced in every second minute, by a reload and by SIGKILL
 * in turns.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection } from '../faults/http-connection.js';
import type { Random } from '../../bench/random.js';
import { bytesOf, kindNamed } from '../faults/requests.js';
import type { Services, Soaked } from './services.js';

/** What happened, and when (seconds since the start). */
export interface Noted {
  readonly at: number;
  readonly name: string;
}

type Act = (services: Services, random: Random) => Promise<void>;

/** The second of a minute at which each begins. */
const FAULTS: readonly (readonly [second: number, name: string, act: Act])[] = [
  [4, 'one session ended', ({ site }, random) => site.terminate(random.next())],
  [12, 'clients that leave', leaving],
  [20, 'slow readers', slowReaders],
  [28, 'PostgreSQL stalls', stall],
  [36, 'column altered', altered],
  [44, 'all sessions ended', ({ site }) => site.terminate()],
];

/** The second of every second minute at which processes are replaced. */
const REPLACED = 52;

/** Minutes after which the same has happened to the processes again. */
export const CYCLE = 4;

const REPLACEMENTS: readonly (readonly [name: string, act: Act])[] = [
  [
    'reload',
    ({ files }) => {
      files.service.signal('SIGHUP');
      return Promise.resolve();
    },
  ],
  [
    'HTTP process killed',
    ({ files }) => {
      process.kill(files.service.httpProcesses()[0]!, 'SIGKILL');
      return Promise.resolve();
    },
  ],
];

export class Events {
  readonly noted: Noted[] = [];
  readonly #services: Services;
  readonly #random: Random;
  readonly #began = performance.now();
  readonly #over = new AbortController();
  readonly #running: Promise<void>[];
  edits = 0;

  constructor(services: Services, random: Random) {
    this.#services = services;
    this.#random = random;
    this.#running = [this.#minutes(), this.#editFiles(), this.#editRecords()];
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#running);
  }

  /** Waits; false when the soak is over. */
  async #wait(ms: number): Promise<boolean> {
    const { signal } = this.#over;
    await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  async #minutes(): Promise<void> {
    for (let minute = 0; ; minute++) {
      const replaces = minute % 2 === 1;
      const replacement = REPLACEMENTS[(minute >> 1) % REPLACEMENTS.length]!;
      const faults = replaces ? [...FAULTS, [REPLACED, ...replacement] as const] : FAULTS;
      for (const [second, name, act] of faults) {
        const due = this.#began + (60 * minute + second) * 1_000;
        if (!(await this.#wait(due - performance.now()))) return;
        this.noted.push({ at: Math.round((performance.now() - this.#began) / 1_000), name });
        await act(this.#services, this.#random);
      }
      if (!(await this.#wait(this.#began + 60_000 * (minute + 1) - performance.now()))) return;
    }
  }

  /** Scripts in files: replaced by rename, made, removed, broken for a while. */
  async #editFiles(): Promise<void> {
    const folder = path.join(this.#services.files.service.folder, 'queries', 'mix');
    const place = (name: string, text: string): void => {
      writeFileSync(path.join(folder, `${name}.new`), text);
      renameSync(path.join(folder, `${name}.new`), path.join(folder, name));
    };
    while (await this.#wait(1_000)) {
      const edit = this.edits++;
      const [file, text] = kindNamed('one').script;
      place(path.basename(file), `${text} -- ${edit}`);
      place(`edited${edit % 20}.read.sql`, edited(edit));
      if (edit % 3 === 0) rmSync(path.join(folder, `edited${(edit + 10) % 20}.read.sql`), { force: true }); // prettier-ignore
    }
  }

  /** Scripts in a table, through the registry: made, replaced, read with their history, removed. */
  async #editRecords(): Promise<void> {
    const { service, authorization } = this.#services.table;
    const ask = async (method: string, record: string, body?: object): Promise<void> => {
      const signal = AbortSignal.timeout(20_000);
      const options = { method, headers: { authorization }, signal };
      // A database that is away is one of the faults.
      await service
        .ask(`registry/${record}`, body ? { ...options, body: JSON.stringify(body) } : options)
        .catch(() => undefined);
    };
    while (await this.#wait(1_000)) {
      const edit = this.edits++;
      const record = `mix/edited${edit % 20}`;
      await ask('PUT', record, { read_sql: edited(edit), description: `edit ${edit}` });
      await ask('GET', `${record}?history`);
      if (edit % 3 === 0) await ask('DELETE', `mix/edited${(edit + 10) % 20}`);
    }
  }
}

/** The text of an edited script; each tenth one does not parse. */
function edited(edit: number): string {
  if (edit % 10 === 9) return `SELECT {{if}} ${edit}`;
  return `-- @param n bigint required\nSELECT ${edit} AS edit, {{sqlVal "n"}}::bigint AS n FROM item LIMIT 3`;
}

/** Clients that send a request, or a part of one, and leave. */
async function leaving({ files, table }: Services, random: Random): Promise<void> {
  for (const { service, authorization } of [files, table])
    for (let n = 0; n < 10; n++) {
      const bytes = authorized(bytesOf(kindNamed('slow'), n), authorization);
      const socket = connect({ port: service.port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      socket.write(bytes.slice(0, random.between(1, bytes.length)));
      await sleep(random.between(0, 20));
      if (n % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
}

/** Clients that take a large answer slowly. */
async function slowReaders({ files, table }: Services): Promise<void> {
  const read = async ({ service, authorization }: Soaked, n: number): Promise<void> => {
    const connection = new HttpConnection(service.port);
    const bytes = authorized(bytesOf(kindNamed('large'), n), authorization);
    await connection.ask(bytes, {
      limit: 15_000,
      received: (socket) => {
        socket.pause();
        setTimeout(() => socket.resume(), 20);
      },
    });
    connection.close();
  };
  await Promise.all([files, table].flatMap((one) => [1, 2, 3].map((n) => read(one, n))));
}

function authorized(bytes: string, authorization: string): string {
  return authorization === ''
    ? bytes
    : bytes.replace('\r\nHost:', `\r\nAuthorization: ${authorization}\r\nHost:`);
}

async function stall({ site }: Services): Promise<void> {
  const { links } = site.proxy;
  const held = [...links];
  for (const link of held) link.hold(true);
  await sleep(1_500);
  for (const link of held) link.hold(false);
}

/** The statements that were prepared are stale. */
async function altered({ site }: Services): Promise<void> {
  await site.sql('ALTER TABLE item ALTER label TYPE varchar(200)');
  await sleep(500);
  await site.sql('ALTER TABLE item ALTER label TYPE text');
}
