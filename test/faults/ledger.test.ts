/** What an answer says of its write, and what is found when the database holds something else. */
import t from 'tap';
import type { Reply } from './http-connection.js';
import { fateOf, Ledger, type Fate } from './ledger.js';

function answer(status: number, code: string): Reply {
  return { status, headers: new Map(), body: Buffer.from(JSON.stringify({ code })) };
}

const FATES: readonly (readonly [name: string, reply: Reply, fate: Fate])[] = [
  ['200', answer(200, ''), 'done'],
  ['no connection', 'refused', 'not done'],
  ['a reset', 'reset', 'unknown'],
  ['an answer that is cut', 'cut', 'unknown'],
  ['no answer in time', 'hung', 'unknown'],
  ['an answer that is none', 'garbled', 'unknown'],
  ['504', answer(504, 'timeout'), 'unknown'],
  ['a lost worker', answer(502, 'worker_lost'), 'unknown'],
  ['a connection lost before the statement was sent', answer(503, '08006'), 'not done'],
  ['an unknown resolution', answer(503, '08007'), 'unknown'],
  ['no connection to PostgreSQL', answer(503, '08001'), 'not done'],
  ['a full queue', answer(503, 'busy'), 'not done'],
  ['a crash of PostgreSQL', answer(503, '57P02'), 'not done'],
  ['a session that was ended', answer(503, '57P01'), 'not done'],
  ['a refused statement', answer(409, '23505'), 'not done'],
  ['no such script', answer(404, 'script_not_found'), 'not done'],
];

for (const [name, reply, fate] of FATES)
  t.test(`${name}: ${fate}`, (t) => {
    t.equal(fateOf(reply), fate);
    t.end();
  });

const JUDGED: readonly (readonly [fate: Fate, times: number, found: string])[] = [
  ['done', 0, 'lost'],
  ['done', 1, ''],
  ['done', 2, 'doubled'],
  ['not done', 0, ''],
  ['not done', 1, 'denied'],
  ['not done', 2, 'doubled'],
  ['unknown', 0, ''],
  ['unknown', 1, ''],
  ['unknown', 2, 'doubled'],
];

for (const [fate, times, found] of JUDGED)
  t.test(`answered as ${fate}, there ${times} times: ${found === '' ? 'right' : found}`, (t) => {
    const ledger = new Ledger();
    ledger.note(5, fate);
    const judgement = ledger.judge(new Map(times === 0 ? [] : [[5, times]]));
    const expected = {
      lost: [],
      doubled: [],
      denied: [],
      ...(found === '' ? {} : { [found]: [5] }),
    };
    t.same(judgement, expected);
    t.end();
  });

t.test('a write that was never asked for', (t) => {
  t.same(new Ledger().judge(new Map([[9, 1]])).denied, [9]);
  t.end();
});

t.test('writes before the first number are left alone', (t) => {
  const ledger = new Ledger();
  ledger.note(1, 'done');
  ledger.note(2, 'done');
  const doubled = new Map([
    [0, 2],
    [2, 1],
  ]);
  t.same(ledger.judge(doubled, 2), { lost: [], doubled: [], denied: [] });
  t.end();
});
