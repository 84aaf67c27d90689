/** A QueryPool over scripted workers, with what became of each request as a promise. */
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import { QueryPool } from '#app/serve/pool/query-pool.js';
import { packRequest } from '#app/messages/batch.js';
import { httpProcessSettings } from '../../support/http-process.js';

const WORKER = fileURLToPath(new URL('./fixtures/scripted-worker.js', import.meta.url));

/** What became of a request: its answer, or status 0 when it was lost with its worker. */
export interface Outcome {
  readonly status: number;
  readonly body: {
    readonly size: number;
    readonly threadId: number;
    readonly folder: string;
    readonly headers: string;
  };
}

const LOST: Outcome = { status: 0, body: { size: 0, threadId: 0, folder: '', headers: '' } };

export interface Submitted {
  readonly worker: number;
  readonly id: number;
  readonly outcome: Promise<Outcome>;
}

export interface Death {
  readonly worker: number;
  readonly at: number;
}

export interface ScriptedPool {
  readonly pool: QueryPool;
  /** submit hands over a request whose query string says what the worker does. */
  readonly submit: (query?: string) => Submitted;
  /** For each worker that died, its number and when that was (performance.now). */
  readonly deaths: readonly Death[];
}

export interface ScriptedPoolOptions {
  readonly threads?: number;
  /** Where this is a file, workers cannot start. */
  readonly obstacle?: string;
  /** The workers' program, when it is not the scripted one. */
  readonly program?: string;
}

/** scriptedPool starts workers that are gone when the test ends. */
export function scriptedPool(
  t: Pick<Test, 'teardown'>,
  { threads = 1, obstacle = '/nonexistent', program = WORKER }: ScriptedPoolOptions = {},
): ScriptedPool {
  const open = new Map<number, { worker: number; settle: (outcome: Outcome) => void }>();
  const deaths: Death[] = [];
  const done = (id: number, outcome: Outcome): void => {
    const one = open.get(id);
    if (one === undefined) throw new Error(`request ${id} has two answers`);
    open.delete(id);
    one.settle(outcome);
  };
  const { worker } = httpProcessSettings({ worker: { scripts: obstacle } });
  const pool = new QueryPool({
    threads,
    worker,
    results: {
      answered(id, status, _type, _lines, body) {
        done(id, {
          status,
          body: JSON.parse(Buffer.from(body as Uint8Array).toString()) as Outcome['body'],
        });
      },
      died(number, kept) {
        deaths.push({ worker: number, at: performance.now() });
        for (const [id, { worker }] of [...open])
          if (worker === number && !kept.has(id)) done(id, LOST);
      },
    },
    log: createLogger({ level: 'silent', pretty: false }, {}),
    filename: program,
  });
  const alive = setInterval(() => undefined, 1_000); // waiting for answers does not keep a process alive
  t.teardown(() => {
    clearInterval(alive);
    return pool.close();
  });
  let lastId = 0;
  return {
    pool,
    deaths,
    submit: (query = '') => {
      const id = ++lastId;
      const worker = pool.submit(
        packRequest(id, 'GET', 'main', `f${id}`, 'n', query, 'a\nb', `r${id}`, '', ''),
      );
      const outcome = new Promise<Outcome>((settle) => open.set(id, { worker, settle }));
      return { worker, id, outcome };
    },
  };
}
