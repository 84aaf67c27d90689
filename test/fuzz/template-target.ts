/**
 * Templates: a text is one or has a mistake at a place in it; what is printed of its tree is the same template; it renders or
 * has an error at a place; and what the screen refuses makes no difference to the text of the statement.
 */
import { ServiceError } from '#app/base/errors.js';
import { parametersOf } from '#app/template/parameters.js';
import { parse } from '#app/template/parser.js';
import { outlinesOf } from '#app/template/outline.js';
import {
  compile,
  RefusedValue,
  TemplateError,
  type Rendered,
  type Template,
} from '#app/template/template.js';
import { statementRanges } from '#app/script/statement/statement-split.js';
import { randomScript } from '../proof/random-template.js';
import type { Random } from '../../bench/random.js';
import { examplesOf, textsBelow, vectorsOf } from './corpus.js';
import { charactersOf } from './json-texts.js';
import { Mutator } from './mutator.js';
import { attempt, expect, type Target } from './target.js';
import { printTrees, sameTrees } from './template-printer.js';
import { requestWith, valuesFor, type ValuePair } from './template-values.js';

interface Input {
  readonly text: string;
  readonly values: ValuePair;
}

const NAME = 'fuzzed/script';

const TOKENS = ['{{', '}}', '{{-', '-}}', '{{- ', ' -}}', '{{/*', '*/}}', '{{end}}', '{{else}}', '{{else if ', '{{else with ', '{{if ', '{{with ', '{{range ', '{{define "d"}}', '{{block "b" .}}', '{{template "d" .}}', '{{break}}', '{{continue}}', '{{.a}}', '{{$}}', '$v', ':=', '=', '|', '(', ')', '.', '.a', '.header', '"a"', '`a`', "'a'", 'nil', 'true', '0x1p-2', '1i', '1_000', 'sqlVal "a"', 'sqlList "ids"', 'ident "a"', 'inFormat "a"', 'isSet "a"', 'defaultOrValue "a" "1"', 'limitOffset .a .n', 'split .a ","', 'unEscape .a', 'printf "%v" ', 'printf "%[1]*d" ', 'print ', 'println ', 'html ', 'js ', 'urlquery ', 'len ', 'index ', 'slice ', 'eq ', 'lt ', 'and ', 'or ', 'not ', 'call ', "'", '--', '/*', "E'", '$1', ';', '-- @param a text\n']; // prettier-ignore

/** Parameters that texts of the corpus have, and that get values although a text may not show it. */
const COMMON = ['a', 'b', 'n', 'ids', 'name', 'header.X-Foo'];

export function templateTarget(): Target<Input> {
  const corpus = [
    ...vectorsOf<{ template: string }>('template-').map(({ template }) => template),
    ...textsBelow('test/proof/corpus/queries', '.sql'),
    ...textsBelow('examples/queries', '.sql'),
    ...examplesOf('sql'),
  ].filter((text) => text.length < 2_000);
  const mutator = new Mutator(corpus, TOKENS);
  return {
    name: 'template',
    input(random) {
      const text = textOf(random, mutator);
      return { text, values: valuesFor(random, [...namesIn(text), ...COMMON]) };
    },
    run({ text, values }) {
      const template = attempt(() => compile(text, NAME), TemplateError);
      if (template instanceof TemplateError) {
        checkPlace(template, text, 'parse');
        return 'no template';
      }
      checkTrees(text);
      return checkRendering(template, values);
    },
  };
}

function textOf(random: Random, mutator: Mutator): string {
  if (random.next() < 0.6) return mutator.next(random);
  const { text } = randomScript(random);
  return random.next() < 0.5 ? text : mutator.mutate(random, text);
}

/** The names that a text looks like using. */
function namesIn(text: string): string[] {
  const found = [...text.matchAll(/[.\s(]"?([a-z_]\w{0,20})/gi)].map((match) => match[1]!);
  return [...new Set(found)].slice(0, 12);
}

function checkPlace(error: TemplateError, text: string, stage: TemplateError['stage']): void {
  const { line, column } = error;
  expect(error.stage === stage, `an error of ${stage} is one`);
  const lines = text.split('\n');
  expect(line >= 1 && line <= lines.length, 'the line of an error is one of the text');
  const longest = charactersOf(lines[line - 1]!) + 1;
  expect(column >= 1 && column <= longest, 'the column of an error is in its line');
  expect(error.message !== '' && error.safeMessage !== '', 'an error says what is wrong');
}

function checkTrees(text: string): void {
  const trees = parse(NAME, text);
  const printed = printTrees(trees, NAME);
  const again = attempt(() => parse(NAME, printed), TemplateError);
  expect(!(again instanceof TemplateError), `the tree prints as a template: ${printed}`);
  expect(sameTrees(trees, again), `the tree prints as itself: ${printed}`);
  outlinesOf(text, NAME);
  const { list } = parametersOf(text, NAME);
  expect(
    new Set(list.map(({ name }) => name)).size === list.length,
    'a parameter is one entry of the list',
  );
}

function checkRendering(template: Template, { names, first, second }: ValuePair): string {
  const one = rendered(template, requestWith(names, first));
  const two = rendered(template, requestWith(names, second));
  // With the values that are refused replaced by other ones.
  expect(shown(one) === shown(two), 'a refused value makes no difference to the text');
  if (one instanceof Error) return `rendering: ${one.name}`;
  checkText(template, one);
  return one.values.length > 0 ? 'rendered, with values' : 'rendered';
}

function rendered(template: Template, data: unknown): Rendered | Error {
  const found = attempt(() => template.render(data), TemplateError, RefusedValue, ServiceError);
  if (found instanceof TemplateError) checkPlace(found, template.text, 'exec');
  return found;
}

/** What must not depend on a value that the screen refuses. */
function shown(found: Rendered | Error): string {
  if (found instanceof TemplateError)
    return `${found.safeMessage} at ${found.line}:${found.column}`;
  if (found instanceof RefusedValue) return `refused ${found.parameter}`;
  return found instanceof Error ? found.message : `${found.values.length} values: ${found.text}`;
}

function checkText(template: Template, found: Rendered): void {
  const { text, values } = found;
  expect(text.isWellFormed(), 'the text is well-formed');
  for (const [number] of found.boundParameters())
    expect(number >= 1 && number <= values.length, 'a bound parameter has a placeholder');
  const pieces = found.coverage();
  expect(pieces.map((piece) => piece.text).join('') === template.text, 'the pieces are the text');
  found.interpolated();
  found.misplacedPlaceholder();
  const { line } = found.locate(text.length >> 1);
  expect(line >= 1 && line <= template.text.split('\n').length, 'an offset has a place');
  let end = 0;
  for (const range of statementRanges(text)) {
    expect(range.start >= end && range.at >= range.start, 'statements come one after the other');
    expect(range.end > range.at && range.end <= text.length, 'a statement ends in the text');
    ({ end } = range);
  }
}
