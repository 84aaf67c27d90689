/**
 * Warnings about bound values where the SQL around them makes them useless: in quotes or a comment, where a placeholder is
 * only text, and as an item of ORDER BY or GROUP BY, where it is a constant.
 */
import { BINDING_FUNCTIONS } from '../../template/functions.js';
import { nodeText } from '../../template/node.js';
import { bindsOnly, callsIn, type Outline, type OutlinedAction } from '../../template/outline.js';
import { inertSpans, spanOf } from '../../template/placement.js';
import { END, NUMBER, SqlScanner, SYMBOL, WORD } from '../../template/sql-scanner.js';
import type { PlacedWarning } from './name-warnings.js';

export function* placeholderWarnings(outline: Outline): Generator<PlacedWarning> {
  const { text, actions } = outline;
  const binding = actions.filter(({ pipe }) =>
    [...callsIn(pipe)].some(({ name }) => BINDING_FUNCTIONS.has(name)),
  );
  if (binding.length === 0) return;
  const spans = inertSpans(text, true);
  for (const action of binding) {
    const span = spanOf(spans, action.start, action.end);
    if (span === undefined) continue;
    yield { pos: action.pipe.pos, message: inert(action, text.slice(span[0], span[0] + 2)) };
  }
  yield* constantItems(outline);
}

/** `opening` are the first two characters of the quoted text or the comment. */
function inert({ pipe }: OutlinedAction, opening: string): string {
  const placeholder = `{{${nodeText(pipe)}}}`;
  if (opening === '--' || opening === '/*')
    return `${placeholder} is in a comment, where it is plain text: comment it out with {{/* … */}}`;
  if (opening.startsWith('"'))
    return `${placeholder} is in a quoted name, where it is plain text: write {{ident …}}, without quotes`;
  return `${placeholder} is in quotes, where it is plain text: write '%' || ${placeholder} || '%', not '%${placeholder}%'`;
}

/** Words after an item of ORDER BY or GROUP BY. */
const AFTER_ITEM: ReadonlySet<string> = new Set(
  'ASC DESC NULLS USING HAVING WINDOW LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT ORDER ROWS RANGE GROUPS RETURNING'.split(
    ' ',
  ),
);

/** The items of ORDER BY and GROUP BY that are a placeholder and nothing else. */
function* constantItems({ text, actions }: Outline): Generator<PlacedWarning> {
  const byStart = new Map(actions.map((action) => [action.start, action]));
  const scanner = new SqlScanner(text);
  /** The clause whose items are read at each depth of parentheses; '' for another one. */
  const clauses = [''];
  let word = '';
  /** Whether an item begins with the next token, and the item if it is a placeholder. */
  let begins = false;
  let item: OutlinedAction | undefined;
  for (;;) {
    const kind = scanner.next();
    const value = kind === WORD ? scanner.value().toUpperCase() : '';
    const symbol = kind === SYMBOL ? text.charAt(scanner.start) : '';
    const ends = kind === END || ',);'.includes(symbol || ' ') || AFTER_ITEM.has(value);
    if (item !== undefined && ends) yield constant(item, clauses.at(-1)!);
    item = begins && kind === NUMBER ? byStart.get(scanner.start) : undefined;
    if (item !== undefined && !bindsOnly(item.pipe)) item = undefined;
    if (kind === END) return;
    begins = false;
    if (value === 'BY' && (word === 'ORDER' || word === 'GROUP')) {
      clauses[clauses.length - 1] = `${word} BY`;
      begins = true;
    } else if (value !== '' && AFTER_ITEM.has(value) && !KEEPS.has(value))
      clauses[clauses.length - 1] = '';
    else if (symbol === '(') clauses.push('');
    else if (symbol === ')' && clauses.length > 1) clauses.pop();
    else if (symbol === ',') begins = clauses.at(-1) !== '';
    word = value;
  }
}

/** Words after an item that belong to it. */
const KEEPS: ReadonlySet<string> = new Set(['ASC', 'DESC', 'NULLS', 'USING']);

function constant({ pipe }: OutlinedAction, clause: string): PlacedWarning {
  const message = `${clause} {{${nodeText(pipe)}}} has no effect, because a bound value is a constant there: write {{ident …}} for the name of a column`;
  return { pos: pipe.pos, message };
}
