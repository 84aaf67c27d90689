/**
 * The functions that templates can call, Go's built-in ones and nine for SQL, with the types of their parameters. `and`,
 * `or` and `call` are here only for their names: expression.ts compiles them.
 */
import { call, escaped, index, len, slice } from './builtins.js';
import { equal, less, lessOrEqual } from './compare.js';
import type { Plain, Value } from './container.js';
import { escapeHtml, escapeJs, escapeUrl } from './escape.js';
import { Tainted } from './kinds.js';
import { sprint, sprintf, sprintln } from './printer.js';
import type { Rendering } from './rendering.js';
import { ident, inFormat, limitOffset, split, sqlList, unEscape } from './sql-functions.js';
import { isTrue, textOf } from './value.js';

/** The type of a parameter; `integer` accepts a string too. */
export type ParameterType = 'string' | 'integer' | 'any';

/** TemplateFunction has fixed parameters and, if `rest` is set, any number of further ones. */
export interface TemplateFunction {
  readonly fixed: readonly ParameterType[];
  readonly rest: boolean;
  readonly boxed: boolean;
  readonly run: (r: Rendering, args: readonly Value[]) => Plain;
}

type Run = (r: Rendering, args: readonly Plain[]) => Plain;

const TABLE = new Map<string, TemplateFunction>();

function define(name: string, fixed: readonly ParameterType[], rest: boolean, run: Run): void {
  // Arguments are unboxed before they are passed, except to slice.
  TABLE.set(name, { fixed, rest, boxed: false, run: run as TemplateFunction['run'] });
}

const ONE: readonly ParameterType[] = ['any'];
const TWO: readonly ParameterType[] = ['any', 'any'];
const INTEGERS: readonly ParameterType[] = ['integer', 'integer'];
const KEY: readonly ParameterType[] = ['string'];
const KEYS: readonly ParameterType[] = ['string', 'string'];

define('and', ONE, true, (_r, args) => args[0]);
define('or', ONE, true, (_r, args) => args[0]);
define('not', ONE, false, (_r, args) => !isTrue(args[0]));
define('call', ONE, true, (_r, args) => call(args[0], undefined));
define('len', ONE, false, (_r, args) => len(args[0]));
define('index', ONE, true, (_r, args) => index(args[0], args.slice(1)));
TABLE.set('slice', {
  fixed: ONE,
  rest: true,
  boxed: true,
  run: (r, args) => slice(r, args[0], args.slice(1)),
});
define('print', [], true, (r, args) => sprint(args, r.screening));
define('println', [], true, (r, args) => sprintln(args, r.screening));
define('printf', KEY, true, (r, args) =>
  sprintf(args[0] as string | Tainted, args.slice(1), r.screening),
);
define('html', [], true, (r, args) => escaped(r, args, escapeHtml));
define('js', [], true, (r, args) => escaped(r, args, escapeJs));
define('urlquery', [], true, (r, args) => escaped(r, args, escapeUrl));
define('eq', ONE, true, (_r, args) => equal(args[0], args.slice(1)));
define('ne', TWO, false, (_r, args) => !equal(args[0], [args[1]]));
define('lt', TWO, false, (_r, args) => less(args[0], args[1]));
define('le', TWO, false, (_r, args) => lessOrEqual(args[0], args[1]));
define('gt', TWO, false, (_r, args) => !lessOrEqual(args[0], args[1]));
define('ge', TWO, false, (_r, args) => !less(args[0], args[1]));

define('isSet', KEY, false, (r, args) => r.isSent(textOf(args[0])!));
define('defaultOrValue', KEYS, false, (r, args) => r.defaultOrValue(textOf(args[0])!, args[1]));
define('inFormat', KEY, false, (r, args) => inFormat(r, args[0]));
define('split', KEYS, false, (r, args) => split(r, args[0], args[1]));
define('limitOffset', INTEGERS, false, (_r, args) => limitOffset(args[0], args[1]));
define('unEscape', KEY, false, (r, args) => unEscape(r, args[0]));
define('sqlVal', KEY, false, (r, args) => r.bind(r.toBind(textOf(args[0])!)));
define('sqlList', KEY, false, (r, args) => sqlList(r, args[0]));
define('ident', KEY, false, (r, args) => ident(r, args[0]));

export function functionNamed(name: string): TemplateFunction | undefined {
  return TABLE.get(name);
}

/** FUNCTION_NAMES lists all functions; the documentation is tested against it. */
export const FUNCTION_NAMES: readonly string[] = [...TABLE.keys()];

/** BINDING_FUNCTIONS print placeholders, to which the value of a parameter is bound. */
export const BINDING_FUNCTIONS: ReadonlySet<string> = new Set(['sqlVal', 'sqlList']);

/** PRINTING_FUNCTIONS print all of their arguments. */
export const PRINTING_FUNCTIONS: ReadonlySet<string> = new Set(
  ['print', 'println', 'printf', 'html', 'js', 'urlquery'], //
);

/** PARAMETER_FUNCTIONS take the name of a parameter as their first argument. */
export const PARAMETER_FUNCTIONS: ReadonlySet<string> = new Set([
  ...BINDING_FUNCTIONS,
  'isSet',
  'defaultOrValue',
  'inFormat',
  'ident',
]);
