/** The log level of a failed statement, by SQLSTATE. */
import t from 'tap';
import { failureLevel } from '#app/postgres/statement/sql-failure.js';

const LEVELS: Readonly<Record<'info' | 'warn' | 'error', readonly string[]>> = {
  info: ['P0001', 'PT400', 'PT409', 'PT599'],
  warn: [
    ...['22P02', '22012', '23505', '23502', '40001', '40P01', '55P03', '42501', '42601', '42P01'],
    ...['57014', '0A000', '21000', '25P02', '54001', 'P0002', 'PT600', 'PT399', '08P01', 'HV000'],
  ],
  error: ['08006', '08001', '53200', '53300', '57P01', '57P03', '58030', 'F0000', 'XX000', '25006'],
};

for (const [level, states] of Object.entries(LEVELS)) {
  t.test(level, (t) => {
    for (const state of states) t.equal(failureLevel({ state }), level, state);
    t.end();
  });
}

t.test('an error raised by a function in the database is never more than a warning', (t) => {
  for (const state of [...LEVELS.warn, ...LEVELS.error])
    t.equal(failureLevel({ state, raised: true }), 'warn', state);
  for (const state of LEVELS.info) t.equal(failureLevel({ state, raised: true }), 'info', state);
  t.end();
});

t.test('a write in a READ ONLY transaction is a warning', (t) => {
  t.equal(failureLevel({ state: '25006' }, true), 'warn');
  t.equal(failureLevel({ state: '08006' }, true), 'error');
  t.end();
});
