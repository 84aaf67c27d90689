/** Statements that would leave something behind on a shared connection, beside ones that only look like them. */
import t from 'tap';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { REFUSED_WORDS } from '#app/script/statement/statement-rules.js';
import { ALLOWED, REFUSED } from './statement-texts.js';

const builder = new StatementBuilder(jsonFrame('json_agg', 1000));

t.test('refused by the first word', (t) => {
  for (const word of REFUSED_WORDS.keys()) {
    const forms = [
      word,
      word.toLowerCase(),
      `  ${word} x`,
      `-- c\n${word}`,
      `/* a /* b */ c */${word};`,
      `((${word}`,
      `;${word}`,
    ];
    for (const text of forms) {
      for (const verb of ['read', 'write'] as const) {
        t.throws(() => builder.build(verb, text, 'f/s'), { code: 'statement_not_allowed' }, text);
      }
    }
    for (const text of [
      `${word}_x`,
      `${word}é`,
      `"${word}"`,
      `SELECT '${word}'`,
      `SELECT ${word}`,
    ]) {
      t.equal(builder.build('write', text, 'f/s').sql, text);
    }
  }
  t.end();
});

t.test('refused', (t) => {
  for (const text of REFUSED) {
    t.throws(
      () => builder.build('write', text, 'f/s'),
      { code: 'statement_not_allowed', status: 500, detail: /./ },
      text,
    );
  }
  t.end();
});

t.test('allowed', (t) => {
  for (const text of ALLOWED) {
    t.equal(builder.build('write', text, 'f/s').sql, text);
  }
  t.end();
});
