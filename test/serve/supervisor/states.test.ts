/** Signals and deaths at some steps of a start and a reload; states.long.test.ts takes each step with each of them. */
import t from 'tap';
import { DrivenService } from './held-service.js';
import type { Action, Flaw } from './service-model.js';

t.setTimeout(120_000);

const signal = (kind: 'SIGHUP' | 'SIGTERM'): Action => ({ kind });
const open = (index: number): Action => ({ kind: 'open', group: 'next', index });
const answer = (id: number, flaw?: Flaw): Action => {
  return { kind: 'answer', version: { id, port: 0, flaw } };
};

const WALKS: Readonly<Record<string, readonly Action[]>> = {
  'SIGHUP when the first process listens, and then a mistake': [
    ...[open(0), signal('SIGHUP'), open(1), answer(2), open(1), open(0)],
    ...[signal('SIGHUP'), answer(3, 'unreadable'), signal('SIGTERM')],
  ],
  'a death before the first process listens': [
    ...[signal('SIGHUP'), { kind: 'kill', group: 'next', index: 1 } as const],
  ],
  'SIGTERM while old processes finish a request': [
    ...[open(0), open(1), { kind: 'hold' } as const, signal('SIGHUP'), answer(2), open(0)],
    ...[open(1), signal('SIGTERM'), { kind: 'finish' } as const],
  ],
};

for (const [name, walk] of Object.entries(WALKS))
  t.test(name, (t) => DrivenService.follow(t, walk));
