/** Which types may take the place of others, in requests and in responses. */
import t from 'tap';
import { acceptsSent, isReturned } from '#app/describe/contract/compatible-types.js';

const CASES: readonly (readonly [
  old: readonly string[],
  now: readonly string[],
  sent: boolean,
  returned: boolean,
])[] = [
  [['integer'], ['text'], true, false],
  [['text'], ['integer'], false, false],
  [[], ['integer'], false, false],
  [['integer'], [], true, true],
  [['integer'], ['bigint'], true, false],
  [['bigint'], ['integer'], false, true],
  [['smallint'], ['numeric'], true, false],
  [['bigint'], ['double precision'], false, false],
  [['integer[]'], ['bigint[]'], true, false],
  [['integer[]'], ['integer'], false, false],
  [['integer'], ['integer', 'uuid'], false, false],
  [['integer', 'uuid'], ['uuid'], true, true],
  [['character varying'], ['text'], true, true],
  [['json'], ['jsonb'], true, true],
  [['date'], ['timestamp with time zone'], false, false],
  [['mood'], ['mood'], true, true],
];

for (const [old, now, sent, returned] of CASES)
  t.test(`${old.join(' or ')} to ${now.join(' or ')}`, (t) => {
    t.equal(acceptsSent(old, now), sent, 'sent');
    t.equal(isReturned(old, now), returned, 'returned');
    t.end();
  });
