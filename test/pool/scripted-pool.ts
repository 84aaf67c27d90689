/** A QueryPool over scripted workers, with what became of each request as a promise. */
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { createLogger } from '#app/log.js';
import { QueryPool } from '#app/pool/query-pool.js';
import { answerAt, ANSWER_STRIDE } from '#app/protocol.js';
import { frontEndSettings } from '../support/front-end.js';

const WORKER = fileURLToPath(new URL('./fixtures/scripted-worker.js', import.meta.url));

/** What became of a request: its answer, or the code it was lost with. */
export interface Outcome {
  readonly status: number;
  readonly lost: string | undefined;
  readonly body: { readonly size: number; readonly threadId: number; readonly folder: string };
}

export interface ScriptedPool {
  readonly pool: QueryPool;
  /** submit hands over a request whose query string says what the worker does. */
  readonly submit: (query?: string) => { worker: number; id: number; outcome: Promise<Outcome> };
}

/** scriptedPool starts workers that are gone when the test ends. Where `obstacle` is a file, they cannot start. */
export function scriptedPool(
  t: Pick<Test, 'teardown'>,
  threads = 1,
  obstacle = '/nonexistent',
): ScriptedPool {
  const settle = new Map<number, (outcome: Outcome) => void>();
  const done = (id: number, outcome: Outcome): void => {
    const resolve = settle.get(id);
    if (resolve === undefined) throw new Error(`request ${id} has two answers`);
    settle.delete(id);
    resolve(outcome);
  };
  const { worker } = frontEndSettings({ worker: { scripts: obstacle } });
  const pool = new QueryPool(
    threads,
    worker,
    {
      answered(answers) {
        for (let i = 0; i < answers.length; i += ANSWER_STRIDE) {
          const { id, status, body } = answerAt(answers, i);
          done(id, { status, lost: undefined, body: JSON.parse(body) as Outcome['body'] });
        }
      },
      lost(id, code) {
        if (settle.has(id))
          done(id, { status: 0, lost: code, body: { size: 0, threadId: 0, folder: '' } });
      },
    },
    createLogger({ level: 'silent', pretty: false }, {}),
    WORKER,
  );
  t.teardown(() => pool.close());
  let lastId = 0;
  return {
    pool,
    submit: (query = '') => {
      const id = ++lastId;
      const outcome = new Promise<Outcome>((resolve) => settle.set(id, resolve));
      const worker = pool.submit(id, 'GET', 'main', `f${id}`, 'n', query, 'a\nb', `r${id}`);
      return { worker, id, outcome };
    },
  };
}
