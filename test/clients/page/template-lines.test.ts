/** The lines of a template, and which of them are marked as rendered. */
import t from 'tap';
import { linesOf, type Piece } from '#app/clients/page/template-lines.js';

const STATES: Readonly<Record<string, Piece['state']>> = {
  '+': 'rendered',
  '-': 'skipped',
  '#': 'control',
};

/** Pieces, each of which begins with a sign for its state, and the states of the lines. */
const CASES: readonly [pieces: readonly string[], states: string][] = [
  [[], 'control'],
  [['+SELECT 1'], 'rendered'],
  [['+SELECT 1\n'], 'rendered control'],
  [['+a ', '#{{if .x}}', '-b', '#{{end}}', '+ c\nd'], 'partly rendered'],
  [['+a\n', '#{{if .x}}', '-\n  b\n', '#{{else}}', '+\n  c\n', '#{{end}}'], 'rendered control skipped control rendered control'], // prettier-ignore
  [['+a\n  ', '-b', '+\n'], 'rendered skipped control'],
  [['+\n\n'], 'control control control'],
];

t.test('lines', (t) => {
  for (const [given, states] of CASES) {
    const pieces = given.map((one) => ({ text: one.slice(1), state: STATES[one[0]!]! }));
    const lines = linesOf(pieces);
    t.equal(lines.map(({ state }) => state).join(' '), states, given.join('|'));
    const text = lines.map((line) => line.pieces.map((piece) => piece.text).join('')).join('\n');
    t.equal(text, pieces.map((piece) => piece.text).join(''));
  }
  t.end();
});
