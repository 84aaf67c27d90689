/**
 * Texts of statements: what the service takes for a token and a statement is what PostgreSQL's lexer and parser take for one,
 * and what scripts must not run by its tree is refused. Half of the texts are joined from whole statements, so that the parser accepts them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../bench/random.js';
import { answersAbout } from '../script/statement/compared.js';
import { ALLOWED, KINDS, REFUSED, SPLIT } from '../script/statement/statement-texts.js';
import { examplesOf } from './corpus.js';
import { Mutator } from './mutator.js';
import { expect, type Target } from './target.js';

const TOKENS = [';', ';;', "'", "''", '"', '--', '/*', '*/', '$$', '$a$', "E'", "\\'", "N'", "x'1", "U&'", 'U&"', '(', ')', '[', ']', '.', ',', '\n', '\r', ' ', '$1', '$2', '1e5', '0x1f', 'é', '😀', 'CASE', 'END', 'BEGIN', 'ATOMIC', 'CREATE', 'OR REPLACE', 'FUNCTION', 'PROCEDURE', 'TEMP', 'INTO', 'AS', 'EXECUTE p', 'EXPLAIN', 'SET', "'\n'", "'--\n'"]; // prettier-ignore

/** Between two statements, and between two of their words. */
const SEPARATORS = [';', ' ; ', ';;', ';\n', '; -- a;\n', ';/* ; /* ; */ */', '\t;\r\n;'];
const SPACES = [' ', '\n', '\t', ' /* ; */ ', ' -- ; \'\n', '/**/', '\r\n', ' /* /* é */ */ ']; // prettier-ignore

export function statementTarget(): Target<string> {
  const whole = [...KINDS, ...ALLOWED, ...REFUSED];
  const mutator = new Mutator([...whole, ...SPLIT.map(([text]) => text), ...examplesOf('sql')], TOKENS); // prettier-ignore
  return {
    name: 'statements',
    input(random) {
      const text = random.next() < 0.5 ? joined(random, whole) : mutator.next(random);
      // A NUL is refused before, and half of a pair is U+FFFD on its way to PostgreSQL.
      return text.replaceAll('\0', ' ').toWellFormed();
    },
    run(text) {
      const answers = answersAbout(text);
      // Of a text that only parses, such as set_config(…)'x', which is a value of a type of that name, the rules may refuse more.
      for (const { question, ours, postgres } of answers)
        expect(ours === true || isDeepStrictEqual(ours, postgres), `${question}: ${JSON.stringify({ ours, postgres })}`); // prettier-ignore
      return answers.length < 3 ? `${answers.length} answers` : `${answers.length >> 1} statements`;
    },
  };
}

/** Statements with other white space, and comments, between their words and around them. */
function joined(random: Random, statements: readonly string[]): string {
  let text = random.pick(['', ';', '-- a\n']);
  for (let left = random.between(1, 4); left > 0; left--) {
    const spaced = random.next() < 0.5;
    const one = random.pick(statements);
    text += spaced ? one.replaceAll(/ (?=[A-Z(])/g, () => random.pick(SPACES)) : one;
    text += random.pick(SEPARATORS);
  }
  return text;
}
