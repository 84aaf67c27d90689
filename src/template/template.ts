/**
 * The template engine's public face: `compile(text, name)` gives a Template, whose `render(data)` gives SQL text and the
 * values to bind. Go's text/template in full, with nine functions for SQL. Both throw TemplateError; rendering throws
 * RefusedValue where text of a request may not become SQL text.
 */
import { Failure, type Position } from './errors.js';
import { execute } from './executor.js';
import { MAX_OUTPUT } from './limits.js';
import { normalize } from './byte-string.js';
import type { ErrorNode } from './node.js';
import { parse } from './parser.js';
import { compileProgram, Code, type Program } from './program.js';
import { Rendering, type Source } from './rendering.js';
import { locate } from './source.js';

export type { TemplateMap, ValueMap } from './data.js';
export { RefusedValue, TemplateError, type Position } from './errors.js';
export { Refused } from './kinds.js';

/** Rendered is what a template made of its data. */
export class Rendered {
  readonly text: string;
  /** The values of the placeholders $1, $2 …; a list is an array literal, an absent value null. */
  readonly values: readonly (string | null)[];
  readonly #source: string;
  readonly #marks: readonly number[];

  constructor(
    text: string,
    values: readonly (string | null)[],
    source: string,
    marks: readonly number[],
  ) {
    this.text = text;
    this.values = values;
    this.#source = source;
    this.#marks = marks;
  }

  /**
   * locate finds the place in the template that made the text at an offset (UTF-16 units): of literal text the very
   * character, of a value its action.
   */
  locate(offset: number): Position {
    return locate(this.#source, this.#marks, offset);
  }
}

/** Template is a compiled template; it can be rendered any number of times. */
export class Template {
  readonly name: string;
  /** Whether it has no actions, so that it renders the same text whatever the data. */
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

  /** text is what it was compiled from. */
  get text(): string {
    return this.#source.text;
  }

  /** render fills the template with data: a plain JSON-like value, or a TemplateMap. */
  render(data: unknown): Rendered {
    return this.#fixed ?? this.#run(data);
  }

  #run(data: unknown): Rendered {
    const r = new Rendering(this.#source, START, data);
    try {
      execute(r, this.#main, this.#programs);
    } catch (e) {
      if (e instanceof Failure) throw r.error(r.node, e.message, e.safe);
      throw e;
    }
    let text = r.out;
    if (!text.isWellFormed()) text = normalize(text).toWellFormed();
    if (text.length * 3 > MAX_OUTPUT && Buffer.byteLength(text) > MAX_OUTPUT)
      r.fail('output exceeds 4 MiB');
    return new Rendered(text, r.values, this.#source.text, r.marks);
  }
}

const START: ErrorNode = { kind: 'dot', pos: 0 };

/**
 * compile parses a template; `name` is what its errors call it. Throws TemplateError of stage parse, with the line and
 * column (from 1, in characters).
 */
export function compile(text: string, name: string): Template {
  const programs = new Map<string, Program>();
  for (const [key, tree] of parse(name, text)) programs.set(key, compileProgram(key, tree));
  return new Template({ name, text }, programs);
}
