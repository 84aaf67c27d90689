/** Splitting and rules beside PostgreSQL's parser: the texts of their tests, the SQL of the documents, and every kind of statement. */
import t from 'tap';
import { examplesOf } from '../../fuzz/corpus.js';
import { answersAbout } from './compared.js';
import { parsedStatements } from './postgres-parser.js';
import { ALLOWED, KINDS, REFUSED, SPLIT } from './statement-texts.js';

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  split: SPLIT.map(([text]) => text),
  refused: REFUSED,
  allowed: ALLOWED,
  kinds: KINDS,
  documents: examplesOf('sql'),
};

for (const [name, texts] of Object.entries(GROUPS))
  t.test(name, (t) => {
    for (const text of texts)
      for (const { question, ours, postgres } of answersAbout(text))
        t.strictSame(ours, postgres, `${text}: ${question}`);
    t.end();
  });

t.test('several statements', (t) => {
  const texts = KINDS.map((text, i) => `${KINDS.at(i - 1)!} ; -- é\n${text};;\n/* ; */ ${text} -- end`);
  for (const text of texts) {
    t.equal(parsedStatements(text)?.length, 3, text);
    for (const { question, ours, postgres } of answersAbout(text)) t.strictSame(ours, postgres, question);
  }
  t.end();
}); // prettier-ignore
