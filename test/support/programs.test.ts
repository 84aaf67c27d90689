/** A program that is not installed skips the tests that need it, and fails them in CI. */
import t from 'tap';
import { findProgram, without } from './programs.js';

t.test('a missing program', (t) => {
  t.teardown(() => {
    if (ci === undefined) delete process.env['CI'];
    else process.env['CI'] = ci;
  });
  const ci = process.env['CI'];
  delete process.env['CI'];
  t.equal(without('sh', 'no-such-program', 'nor-this'), 'not installed: no-such-program, nor-this');
  t.equal(without('sh'), false);
  t.equal(findProgram('no-such-program'), undefined);
  t.match(findProgram('no-such-program', 'sh'), /\/sh$/);
  process.env['CI'] = 'true';
  t.throws(() => without('no-such-program'), { message: /^not installed: no-such-program\./ });
  t.equal(without('sh'), false);
  t.end();
});
