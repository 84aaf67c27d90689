/**
 * Values between pieces of SQL: where a text is rendered, no value, and no empty one between two pieces, is a part of a
 * comment, a cast, an escaped quote or the prefix of a literal. Found by a look at the whole text, not at its edges.
 */
import { END, QUOTED, SqlScanner, STRING } from '#app/template/sql-scanner.js';
import { compile, RefusedValue } from '#app/template/template.js';
import type { Random } from '../../bench/random.js';
import { attempt, expect, type Target } from './target.js';
import { ACCEPTED, requestWith } from './template-values.js';

interface Input {
  /** Literal texts and values by turns, a text first and last. */
  readonly texts: readonly string[];
  readonly values: readonly string[];
  /** How each value is written, `%` for its field. */
  readonly forms: readonly string[];
}

const PIECES = ['', '', ' ', 'a ', '-', '- ', ':', '/', '*', '* ', "'", "''", '"', '\\', 'e', 'E', "E'", 'u&', 'U&', '&', "'a'", '"a"', '--', '/*', '*/', '1', '0x', '1.', '.', '\n', '$1', '$a$', ';', 'b', 'x', 'n', "-- it's\n"]; // prettier-ignore

const FORMS = ['{{%}}', '{{print %}}', '{{printf "%s" %}}', '{{% | print}}', '{{with %}}{{.}}{{end}}', '{{$v := %}}{{$v}}', '{{range split % "|"}}{{.}}{{end}}', '{{or % ""}}', '{{slice % 0}}']; // prettier-ignore

export function edgesTarget(): Target<Input> {
  return {
    name: 'template edges',
    input(random) {
      const count = random.between(1, 4);
      const many = <T>(one: () => T, length = count): T[] => Array.from({ length }, one);
      return {
        texts: many(() => random.pick(PIECES) + (random.next() < 0.3 ? random.pick(PIECES) : ''), count + 1),
        values: many(() => value(random)),
        forms: many(() => random.pick(FORMS)),
      }; // prettier-ignore
    },
    run({ texts, values, forms }) {
      const names = values.map((_, i) => `v${i}`);
      const template = forms.map((form, i) => texts[i]! + form.replaceAll(/%(?!s)/g, `.v${i}`));
      const compiled = compile(template.join('') + texts.at(-1)!, 'fuzzed/edges');
      const found = attempt(() => compiled.render(requestWith(names, values)), RefusedValue);
      if (found instanceof RefusedValue) {
        expect(names.includes(found.parameter), 'what is refused is a parameter');
        return 'refused';
      }
      checkEdges(found.text, { texts, values, forms });
      return `rendered, ${values.length} values`;
    },
  };
}

function value(random: Random): string {
  return random.next() < 0.6 ? random.pick(ACCEPTED.slice(0, 20)) : random.pick(ACCEPTED);
}

function checkEdges(text: string, { texts, values, forms }: Input): void {
  /** By offset, whether the unit comes from a value; and the offsets of empty values. */
  const sent: boolean[] = [];
  const gaps = new Set<number>();
  let whole = '';
  for (const [i, literal] of texts.entries()) {
    whole += literal;
    for (let n = literal.length; n > 0; n--) sent.push(false);
    const value = values[i];
    if (value === undefined) continue;
    if (value === '' && !/with|or/.test(forms[i]!)) gaps.add(whole.length); // these print none
    whole += value;
    for (let n = value.length; n > 0; n--) sent.push(true);
  }
  expect(text === whole, 'the text is its parts');
  for (let at = 1; at < text.length; at++) {
    const pair = text.slice(at - 1, at + 1);
    const touched = sent[at - 1]! || sent[at]! || gaps.has(at);
    if (/^(?:--|::|\/\*|\*\/)$/.test(pair)) expect(!touched, `no value makes ${pair}`);
    if (/^\\['"]$/.test(pair)) expect(!sent[at - 1]!, 'no value escapes a quote');
  }
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next())
    if (kind === STRING || kind === QUOTED) {
      const at = scanner.start;
      expect(!sent[at]!, 'no value begins a literal');
      const prefixed = /^[a-z]/i.test(text.slice(at));
      expect(!prefixed || !gaps.has(at + 1), 'no empty value completes the prefix of a literal');
    }
}
