/** A text with other SQL at some places, and offsets in it. */
import t from 'tap';
import { Substitution, type Edit } from '#app/proof/branches/substitution.js';

/** The edits of a text, and what it becomes. */
const CASES: [original: string, edits: Edit[], text: string][] = [
  ['SELECT 1', [], 'SELECT 1'],
  ['ab X cd', [{ start: 3, end: 4, sql: '$1' }], 'ab $1 cd'],
  ['ab XYZ cd', [{ start: 3, end: 6, sql: '1' }], 'ab 1 cd'],
  ['ab XYZ cd', [{ start: 3, end: 6, sql: '' }], 'ab  cd'],
  ['X', [{ start: 0, end: 1, sql: 'long' }], 'long'],
  ['XY', [{ start: 0, end: 1, sql: '$1' }, { start: 1, end: 2, sql: '$2' }], '$1$2'],
  ['a X b Y c', [{ start: 2, end: 3, sql: '$10' }, { start: 6, end: 7, sql: '"name"' }], 'a $10 b "name" c'],
]; // prettier-ignore

for (const [original, edits, text] of CASES)
  t.test(`${original} to ${text}`, (t) => {
    const substitution = new Substitution(original, edits);
    t.equal(substitution.text, text);
    let moved = 0;
    let at = 0;
    edits.forEach(({ start, end, sql }, i) => {
      for (; at < start; at++) {
        t.equal(substitution.originalOffset(at + moved), at);
        t.equal(substitution.editAt(at + moved), -1);
      }
      for (let within = 0; within < sql.length; within++) {
        t.equal(substitution.originalOffset(start + moved + within), start, 'where it begins');
        t.equal(substitution.editAt(start + moved + within), i);
      }
      moved += sql.length - (end - start);
      at = end;
    });
    for (; at <= original.length; at++) {
      t.equal(substitution.originalOffset(at + moved), at);
      t.equal(substitution.editAt(at + moved), -1);
    }
    t.end();
  });
