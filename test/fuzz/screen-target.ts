/** The value screen, compared with a slow one. */
import { screen } from '#app/native/screen.js';
import type { Random } from '../../bench/random.js';
import { vectorsOf } from './corpus.js';
import { Mutator } from './mutator.js';
import { KEYWORDS, referenceScreen } from './screen-reference.js';
import { expect, type Target } from './target.js';

const PIECES = ['0', '1', '9', '_', 'e', 'E', 'x', '0x', '0o', '0b', 'a', 'f', 'o', 'r', '.', '..', ' ', ':', '::', '-', '--', '/', '\\', '@', "'", ';', 'é', '\u212a', '1e', '1.', 'e5', 'ſ']; // prettier-ignore

export function screenTarget(): Target<string> {
  const values = vectorsOf<{ value: string }>('screen').map((vector) => vector.value);
  const mutator = new Mutator(values, [...KEYWORDS, ...PIECES]);
  return {
    name: 'screen',
    input: (random) => (random.next() < 0.5 ? mutator.next(random) : pieces(random)),
    run(value) {
      const accepted = screen(value);
      expect(accepted === referenceScreen(value), 'the screen is that of the specification');
      // What may be text of a statement may be in upper case, too.
      expect(screen(upperOf(value)) === accepted, 'upper case makes no difference');
      return `${accepted ? 'accepted' : 'refused'}${value.includes(' ') ? ', of several words' : ''}`;
    },
  };
}

/** ASCII alone: a letter such as ſ has another letter's upper case. */
function upperOf(value: string): string {
  return value.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** A text of numbers, words and signs, in which keywords hide. */
function pieces(random: Random): string {
  let text = '';
  for (let left = random.between(1, 8); left > 0; left--) {
    const one = random.pick(random.next() < 0.25 ? KEYWORDS : PIECES);
    text += random.next() < 0.2 ? one.toUpperCase() : one;
  }
  return text;
}
