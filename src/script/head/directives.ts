/** The directives, by name: each reads what follows its name into the draft of the head. */
import type { DeclaredParameter } from './declared-parameter.js';
import { HeadError, NO_HEAD, type Head, type HeadWarning, type Shape } from './head.js';
import { parseHeaderTemplate, type HeaderTemplate } from './header-template.js';
import { PARAMETER_SYNTAX, parseParameter } from './parse-parameter.js';
import { parseRoute, type RoutePattern } from './route-pattern.js';

/** Reads the text after the name of a directive. Throws HeadError. */
type Directive = (draft: HeadDraft, text: string) => void;

/** Values of parameters that were not sent, in any script. */
export type Standards = ReadonlyMap<string, string>;

export const NO_STANDARDS: Standards = new Map();

/** The head while it is parsed. */
export class HeadDraft {
  /** The methods of the script's verb. */
  readonly methods: readonly string[];
  readonly standards: Standards;
  readonly parameters = new Map<string, DeclaredParameter>();
  readonly headers: HeaderTemplate[] = [];
  readonly routes: RoutePattern[] = [];
  readonly errors = new Map<string, string>();
  /** What is declared besides, and the standards of the rest. */
  readonly head: { -readonly [Member in keyof Head]: Head[Member] } = { ...NO_HEAD };
  /** The lines of the directives so far that may occur once. */
  readonly #lines = new Map<string, number>();
  #name = '';
  #line = 0;
  readonly #text: string;

  /** `text` is the script's. */
  constructor(text: string, methods: readonly string[], standards: Standards) {
    this.#text = text;
    this.methods = methods;
    this.standards = standards;
  }

  begin(name: string, line: number): void {
    this.#name = name;
    this.#line = line;
  }

  /** once throws if there was such a directive before. */
  once(name = this.#name): void {
    const before = this.#lines.get(name);
    if (before !== undefined) throw this.error(`there is one in line ${before} already`);
    this.#lines.set(name, this.#line);
  }

  error(message: string): HeadError {
    return new HeadError(this.#line, `@${this.#name}: ${message}`, this.#text);
  }

  finish(warnings: readonly HeadWarning[]): Head {
    const { parameters, headers, errors, routes } = this;
    return { ...this.head, parameters, headers, errors, routes, warnings };
  }
}

export const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['param', param],
  ['strict', strict],
  ['one', (draft, text) => shape(draft, text, 'one')],
  ['scalar', (draft, text) => shape(draft, text, 'scalar')],
  ['status', status],
  ['header', header],
  ['error', error],
  ['timeout', timeout],
  ['max_body', maxBody],
  ['primary', primary],
  ['path', path],
  ['deprecated', deprecated],
]);

function param(draft: HeadDraft, text: string): void {
  if (text === '') throw draft.error(`it takes ${PARAMETER_SYNTAX}`);
  const parameter = explained(draft, () => parseParameter(text));
  const { name, expected, fallback } = parameter;
  draft.once(`param ${name}`);
  const standard = fallback === undefined ? draft.standards.get(name) : undefined;
  if (standard !== undefined && !parameter.isValid(standard))
    throw draft.error(
      `${name} is ${standard} when it was not sent, which is not ${expected}: declare a default`,
    );
  draft.parameters.set(name, parameter);
}

function strict(draft: HeadDraft, text: string): void {
  alone(draft, text);
  draft.once();
  draft.head.strict = true;
}

function shape(draft: HeadDraft, text: string, wanted: Shape): void {
  alone(draft, text);
  draft.once('one or @scalar');
  draft.head.shape = wanted;
}

/** 205 has no body, and 206 is about ranges of one. */
const NOT_SUCCESS: ReadonlySet<number> = new Set([205, 206]);

function status(draft: HeadDraft, text: string): void {
  draft.once();
  const code = /^[0-9]{3}$/.test(text) ? Number(text) : 0;
  if (code < 200 || code > 299 || NOT_SUCCESS.has(code))
    throw draft.error('it takes a status of success, from 200 to 299 but 205 and 206');
  draft.head.status = code;
}

function header(draft: HeadDraft, text: string): void {
  const made = explained(draft, () => parseHeaderTemplate(text));
  draft.once(`header ${made.name}`);
  draft.headers.push(made);
}

/** Classes 00 to 02 are no errors. The name of a constraint may be in quotes. */
const ERROR = /^((?!0[0-2])[0-9A-Z]{5})(?:\s+(?:"([^"]+)"|([^\s":]+)))?\s*:\s+(.+)$/s;

function error(draft: HeadDraft, text: string): void {
  const [, state, quoted, plain, message] = ERROR.exec(text) ?? [];
  if (state === undefined || message === undefined)
    throw draft.error(
      'it takes an SQLSTATE, the name of a constraint where only that one is meant, and a text for callers: 23505 books_isbn_key: This ISBN exists',
    );
  const constraint = quoted ?? plain;
  const key = constraint === undefined ? state : `${state} ${constraint}`;
  draft.once(`error ${key}`);
  draft.errors.set(key, message);
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['min', 60_000],
]);

/** The largest statement_timeout. */
const LONGEST = 2_147_483_647;

function timeout(draft: HeadDraft, text: string): void {
  draft.once();
  const [, digits, unit = ''] = /^([0-9]{1,10}(?:\.[0-9]{1,3})?) ?(ms|s|min)$/.exec(text) ?? [];
  const time = Math.round(Number(digits) * (UNITS.get(unit) ?? 0));
  if (digits === undefined || time < 1 || time > LONGEST)
    throw draft.error('it takes a time such as 500ms, 2s or 1min');
  draft.head.timeout = time;
}

const SIZES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['KiB', 1 << 10],
  ['MiB', 1 << 20],
  ['GiB', 1 << 30],
]);

function maxBody(draft: HeadDraft, text: string): void {
  draft.once();
  const [, digits, unit = ''] = /^([0-9]{1,10}) ?(KiB|MiB|GiB|)$/.exec(text) ?? [];
  const size = Number(digits) * SIZES.get(unit)!;
  if (digits === undefined || size > 1 << 30)
    throw draft.error('it takes a size of at most 1GiB, such as 500KiB or 32MiB');
  draft.head.maxBody = size;
}

function primary(draft: HeadDraft, text: string): void {
  alone(draft, text);
  draft.once();
  draft.head.primary = true;
}

function path(draft: HeadDraft, text: string): void {
  const route = explained(draft, () => parseRoute(text, draft.methods));
  if (draft.routes.some((one) => one.path === route.path))
    throw draft.error('the path is there twice');
  draft.routes.push(route);
}

function deprecated(draft: HeadDraft, text: string): void {
  draft.once();
  const date = /^(\d{4}-\d\d-\d\d)(?!\S)/.exec(text)?.[1];
  const time = date === undefined ? undefined : new Date(`${date}T00:00:00Z`);
  // A day that does not exist is another one in the next month, or no date at all.
  if (
    time !== undefined &&
    (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== date)
  )
    throw draft.error(`${date} is not a date`);
  draft.head.deprecation = time === undefined ? 'true' : `@${time.getTime() / 1_000}`;
}

/** Throws if something follows a directive that takes nothing. */
function alone(draft: HeadDraft, text: string): void {
  if (text !== '') throw draft.error(`it takes nothing, not ${JSON.stringify(text.slice(0, 40))}`);
}

/** Gives the errors of a syntax the line of the directive. */
function explained<T>(draft: HeadDraft, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof SyntaxError ? draft.error(error.message) : error;
  }
}
