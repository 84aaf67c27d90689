/**
 * The public API of the template engine: `compile(text, name)` returns a Template, whose `render(data)` returns SQL
 * text and the values to bind. It implements all of Go's text/template, with nine functions for SQL. Both throw
 * TemplateError; rendering throws RefusedValue if text of a request may not become SQL text.
 */
import type { Position } from '../base/position.js';
import { FunctionFailure } from './errors.js';
import { execute } from './executor.js';
import { MAX_OUTPUT } from './limits.js';
import { normalize } from './byte-string.js';
import { parse } from './parser.js';
import { compileProgram, Code, type Program } from './program.js';
import { boundParameters } from './bound-parameter.js';
import { coverageOf, type Piece } from './coverage.js';
import {
  interpolatedAt,
  interpolatedIn,
  misplacedPlaceholder,
  type Interpolated,
  type Trace,
} from './placement.js';
import { Rendering } from './rendering.js';
import { locate, type Source } from './source.js';

export type { TemplateMap, ValueMap } from './data.js';
export { InvalidParameter, RefusedValue, TemplateError, type InvalidValue } from './errors.js';
export { Refused } from './kinds.js';

export class Rendered {
  readonly text: string;
  /** The values of the placeholders $1, $2 …; a list is an array literal, an absent value null. */
  readonly values: readonly (string | null)[];
  /** Values that are bytes, by index: in `values` they are empty. */
  readonly bytes: ReadonlyMap<number, Uint8Array> | undefined;
  readonly #trace: Trace;
  #bound: ReadonlyMap<number, string> | undefined;

  constructor(
    text: string,
    values: readonly (string | null)[],
    bytes: ReadonlyMap<number, Uint8Array> | undefined,
    trace: Trace,
  ) {
    this.text = text;
    this.values = values;
    this.bytes = bytes;
    this.#trace = trace;
  }

  get template(): string {
    return this.#trace.source.text;
  }

  /**
   * locate finds the position in the template that produced the text at an offset (UTF-16 units): for literal text that
   * character, for a value its action.
   */
  locate(offset: number): Position {
    const { source, marks } = this.#trace;
    return locate(source.text, marks, offset);
  }

  /** interpolated describes the text of parameters outside string constants and comments. */
  interpolated(): Interpolated {
    return interpolatedIn(this.text, this.#trace);
  }

  /** interpolatedAt are the parameters with text in the token of SQL at an offset. */
  interpolatedAt(offset: number): readonly string[] {
    return interpolatedAt(this.text, this.#trace, offset);
  }

  /** boundParameter is the parameter that the placeholder `$number` binds, undefined if its name was computed. */
  boundParameter(number: number): string | undefined {
    return this.boundParameters().get(number);
  }

  /** boundParameters are the parameters that the placeholders bind, by number, without those whose names were computed. */
  boundParameters(): ReadonlyMap<number, string> {
    return (this.#bound ??= boundParameters(this.text, this.#trace));
  }

  /** coverage is the text of the template in pieces, with what became of each. */
  coverage(): readonly Piece[] {
    return coverageOf(this.#trace);
  }

  /** misplacedPlaceholder is the position of a placeholder in quotes or a comment, where it is only text. */
  misplacedPlaceholder(): Position | undefined {
    const at = misplacedPlaceholder(this.text, this.#trace, this.values.length);
    return at === undefined ? undefined : this.locate(at);
  }
}

/** Template is a compiled template, for any number of renderings. */
export class Template {
  readonly name: string;
  /** Whether it has no actions, so that it always renders the same text. */
  readonly constant: boolean;
  readonly #source: Source;
  readonly #programs: ReadonlyMap<string, Program>;
  readonly #main: Program;
  readonly #fixed: Rendered | undefined;

  constructor(source: Source, programs: ReadonlyMap<string, Program>) {
    this.name = source.name;
    this.#source = source;
    this.#programs = programs;
    this.#main = programs.get(source.name)!;
    const { operations } = this.#main;
    this.constant = operations.every(({ code }) => code === Code.text || code === Code.return);
    if (this.constant) this.#fixed = this.#run({});
  }

  get text(): string {
    return this.#source.text;
  }

  /**
   * render renders the template with data: a plain JSON-like value, or a TemplateMap. Throws TemplateError,
   * RefusedValue.
   */
  render(data: unknown): Rendered {
    return this.#fixed ?? this.#run(data);
  }

  #run(data: unknown): Rendered {
    const r = new Rendering(this.#source, data);
    try {
      execute(r, this.#main, this.#programs);
      r.finish();
    } catch (e) {
      if (e instanceof FunctionFailure) throw r.error(r.node, e.message, e.safe);
      throw e;
    }
    let text = r.out;
    if (!text.isWellFormed()) text = normalize(text).toWellFormed();
    if (text.length * 3 > MAX_OUTPUT && Buffer.byteLength(text) > MAX_OUTPUT)
      r.fail('output exceeds 4 MiB');
    const { values, bytes, marks, parts, identifiers } = r;
    return new Rendered(text, values, bytes, { source: this.#source, marks, parts, identifiers });
  }
}

/**
 * compile compiles a template; its errors contain `name`. Throws TemplateError of stage parse, with the line and column
 * (from 1, in characters).
 */
export function compile(text: string, name: string): Template {
  const programs = new Map<string, Program>();
  for (const [key, tree] of parse(name, text)) programs.set(key, compileProgram(key, tree));
  return new Template({ name, text }, programs);
}
