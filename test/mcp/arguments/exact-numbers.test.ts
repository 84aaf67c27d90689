/** Numbers that a double does not hold become strings; everything else of the text is unchanged. */
import t from 'tap';
import { exactNumbers } from '#app/mcp/arguments/exact-numbers.js';

for (const [number, isText] of [
  ['0', false],
  ['-1', false],
  ['1.10', false],
  ['9007199254740991', false],
  ['-9007199254740991', false],
  ['9007199254740992', true],
  ['-9007199254740992', true],
  ['9007199254740993', true],
  ['9223372036854775807', true],
  ['100000000000000000000', true],
  ['100000000000000000000.00', true],
  ['123456789012345.6', false],
  ['0.1234567890123456', false],
  ['0.1234567890123456789', true],
  ['33.3333333333333333', true],
  ['1.10000000000000000000000000', false],
  ['0.00000000000000000000000001', false],
  ['-0.00000000000000000000', false],
  ['12345678901234567890.123456789', true],
  ['0.30000000000000004', false],
  ['1e+300', false],
  ['5e-324', false],
  ['1.2345678901234567e+19', false],
  ['1.7976931348623157e+308', false],
  ['1e400', true],
  ['1E400', true],
  ['1e-400', true],
  ['123456789012345678e2', true],
  [`1${'0'.repeat(130_000)}1`, true],
  [`0.${'0'.repeat(16_000)}1`, true],
] as const)
  t.test(number.slice(0, 40), (t) => {
    const written = isText ? `"${number}"` : number;
    t.equal(exactNumbers(number), written);
    t.equal(exactNumbers(`[${number}]`), `[${written}]`);
    t.equal(
      exactNumbers(`{"a":${number},"b":[${number}, ${number}]}`),
      `{"a":${written},"b":[${written}, ${written}]}`,
    );
    const text = JSON.stringify(`${number} "${number}\\" \\${number}`);
    t.equal(exactNumbers(`{${text}:${text}}`), `{${text}:${text}}`);
    t.equal(
      exactNumbers(`{${text}:${text},"x":${number}}`),
      `{${text}:${text},"x":${written}}`,
      'after strings with numbers',
    );
    t.end();
  });

t.test('strings that end with backslashes', (t) => {
  for (const count of [1, 2, 3, 4]) {
    const text = JSON.stringify('\\'.repeat(count));
    t.equal(exactNumbers(`[${text},12345678901234567890]`), `[${text},"12345678901234567890"]`);
  }
  t.end();
});

t.test('long texts take a time that grows with their length only', (t) => {
  const numbers = `[${new Array<string>(50_000).fill('12345678901234567890').join(',')}]`;
  t.match(JSON.parse(exactNumbers(numbers)), { length: 50_000 });
  for (const text of ['1'.repeat(3_000_000), '\\'.repeat(3_000_000), '"1e'.repeat(1_000_000)]) {
    const json = JSON.stringify([text]);
    t.equal(exactNumbers(json), json);
  }
  t.end();
});
