/** What clients were answered about their writes, compared with what the database holds afterwards. */
import { codeOf } from './outcomes.js';
import type { Reply } from './http-connection.js';

/** What an answer says of its write: it was done, it was not done, or neither. */
export type Fate = 'done' | 'not done' | 'unknown';

/** Numbers of writes of which the database holds something else than was answered. */
export interface Judgement {
  /** Answered 200 and not there. */
  readonly lost: number[];
  /** There more than once. */
  readonly doubled: number[];
  /** There, though the answer says that it was not done, or though it was never asked for. */
  readonly denied: number[];
}

/** fateOf is what a reply says of the write that it was asked for. */
export function fateOf(reply: Reply): Fate {
  if (reply === 'refused') return 'not done';
  if (typeof reply === 'string') return 'unknown';
  if (reply.status === 200) return 'done';
  if (reply.status === 502 || reply.status === 504) return 'unknown';
  // transaction_resolution_unknown; every other SQLSTATE says that nothing was committed.
  return codeOf(reply) === '08007' ? 'unknown' : 'not done';
}

export class Ledger {
  readonly #fates = new Map<number, Fate>();
  readonly #replies = new Map<number, string>();

  /** note records what the answer to a write says; `reply` is the answer in a few words. */
  note(n: number, fate: Fate, reply = ''): void {
    this.#fates.set(n, fate);
    if (fate !== 'done') this.#replies.set(n, reply);
  }

  /** replyTo is what was answered to a write, in a few words. */
  replyTo(n: number): string {
    return this.#replies.get(n) ?? '200';
  }

  /** judge compares the writes from number `first` on with how often the database holds each of them. */
  judge(held: ReadonlyMap<number, number>, first = 0): Judgement {
    const judgement: Judgement = { lost: [], doubled: [], denied: [] };
    for (const [n, fate] of this.#fates) {
      if (n >= first && fate === 'done' && !held.has(n)) judgement.lost.push(n);
    }
    for (const [n, times] of held) {
      if (n < first) continue;
      const fate = this.#fates.get(n) ?? 'not done';
      if (times > 1) judgement.doubled.push(n);
      else if (fate === 'not done') judgement.denied.push(n);
    }
    return judgement;
  }
}
