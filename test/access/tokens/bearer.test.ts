/** Reading tokens from Authorization headers. */
import t from 'tap';
import { addAuthorization, MAX_TOKEN, readBearer } from '#app/access/tokens/bearer.js';
import { ServiceError } from '#app/base/errors.js';

function read(...values: string[]): string {
  try {
    const all = values.reduce<string | undefined>(addAuthorization, undefined);
    return readBearer(all ?? '');
  } catch (error) {
    if (error instanceof ServiceError) return `${error.status} ${error.code}`;
    throw error;
  }
}

t.test('refused', (t) => {
  const cases: [code: string, ...values: string[]][] = [
    ['token_missing'],
    ['token_missing', ''],
    ['token_missing', 'Bearer'],
    ['token_missing', 'Bearer '],
    ['token_missing', 'bearer   '],
    ['invalid_token', 'a.b.c'],
    ['invalid_token', 'Basic YTpi'],
    ['invalid_token', 'Bearera.b.c'],
    ['invalid_token', 'Bearer: a.b.c'],
    ['invalid_token', 'Bearer\ta.b.c'],
    ['invalid_token', 'Bearer a.b.c d'],
    ['invalid_token', 'Bearer a.b.c '],
    ['invalid_token', 'Bearer Bearer a.b.c'],
    ['invalid_token', 'Bearer a.b.c, Bearer a.b.c'],
    ['invalid_token', 'Bearer a.b.c\n'],
    ['invalid_token', 'Bearer a.b.\0'],
    ['invalid_token', 'Bearer a.b.é'],
    ['invalid_token', 'Bearer "a.b.c"'],
    ['invalid_token', 'Bearer a.b=.c'],
    ['invalid_token', ' Bearer a.b.c'],
    ['invalid_token', `Bearer ${'a'.repeat(MAX_TOKEN + 1)}`],
    ['invalid_token', `${' '.repeat(60_000)}Bearer a`],
    ['invalid_token', `Bearer${' '.repeat(60_000)}é`],
    ['invalid_token', 'Bearer a.b.c', 'Bearer a.b.c'],
    ['invalid_token', 'Bearer a.b.c', ''],
    ['invalid_token', '', 'Bearer a.b.c'],
    ['invalid_token', 'Bearer a', 'Bearer b', 'Bearer c'],
  ];
  for (const [code, ...values] of cases)
    t.equal(read(...values), `401 ${code}`, JSON.stringify(values).slice(0, 80));
  t.end();
});

t.test('accepted', (t) => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])
    t.equal(read(`${scheme} a.b-_.c`), 'a.b-_.c', scheme);
  t.equal(read(`Bearer ${'a'.repeat(MAX_TOKEN)}`).length, MAX_TOKEN);
  t.end();
});
