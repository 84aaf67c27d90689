/** Texts of messages and errors. */
import t from 'tap';
import { errorText, oneLine, systemErrorText } from '#app/base/text.js';

t.test('oneLine', (t) => {
  for (const [message, line] of [
    ['', ''],
    ['one', 'one'],
    ['  one\n', 'one'],
    ['one\ntwo', 'one two'],
    ['one  \n\n\t two\r\nthree', 'one two three'],
  ] as const)
    t.equal(oneLine(message), line, JSON.stringify(message));
  t.end();
});

t.test('errors', (t) => {
  t.equal(errorText(new TypeError('not a number')), 'not a number');
  t.equal(errorText('thrown text'), 'thrown text');
  t.equal(errorText(undefined), 'undefined');
  t.equal(systemErrorText(Object.assign(new Error('no file'), { code: 'ENOENT' })), 'ENOENT');
  t.equal(systemErrorText(new Error('no code')), 'Error: no code');
  t.end();
});
