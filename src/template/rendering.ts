/**
 * Rendering: everything one run of a template reads and writes: the data, the output with its map back to the template,
 * the bound values, the variables, the budget of steps. Refuses values that would complete SQL syntax with their
 * neighbours, and whatever goes beyond the limits.
 */
import { MapValue, fromData, type Plain, type Value } from './container.js';
import { isTemplateMap, PlainData, type Screening, type TemplateMap } from './data.js';
import { Failure, RefusedValue, TemplateError } from './errors.js';
import { Derived, Refused } from './kinds.js';
import { MAX_OUTPUT, MAX_STEPS, MAX_VALUES } from './limits.js';
import { pairForms } from './neighbours.js';
import { nodeText, type ErrorNode } from './node.js';
import { sprint } from './printer.js';
import { quote } from './quote.js';
import { goLocation, positionOf } from './source.js';
import { parameterText } from './parameter.js';

/** What of a template its errors tell. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

const CLAIMS = 'claims.';

/** Rendering is one run. */
export class Rendering {
  readonly source: Source;
  readonly dot: Plain;
  /** The node being executed, for errors. */
  node: ErrorNode;
  /** Name of the template being executed: the source's own or one defined in it. */
  name: string;
  readonly screening: Screening | undefined;
  readonly values: (string | null)[] = [];
  /** Offset in the output and place in the template of each chunk; see source.ts. */
  readonly marks: number[] = [];
  out = '';

  readonly #data: TemplateMap;
  readonly #root: MapValue | undefined;
  #steps = MAX_STEPS;
  #last = 0;
  #lastOrigin: string | undefined;
  /** Origin of an empty value that the last chunk and the next one meet across. */
  #gap: string | undefined;

  /** Variables: names and values side by side; those of the template being executed begin at `base`. */
  readonly names: string[] = ['$'];
  readonly variables: Value[] = [];
  base = 0;

  constructor(source: Source, start: ErrorNode, data: unknown) {
    this.source = source;
    this.name = source.name;
    this.node = start;
    if (isTemplateMap(data)) {
      this.#data = data;
      const { screened = false } = data;
      this.screening = screened ? (text) => data.screen?.(text) === true : undefined;
      this.dot = this.#root = new MapValue(data, this.screening, '');
    } else {
      this.#data = new PlainData(data);
      this.dot = fromData(data ?? undefined, undefined, '');
      if (this.dot instanceof MapValue) this.#root = this.dot;
    }
    this.variables.push(this.dot);
  }

  // Errors and budget.

  /** fail throws a template error at the node being executed. */
  fail(message: string, safe: string = message): never {
    throw this.error(this.node, message, safe);
  }

  /** error makes a template error at a node. */
  error(node: ErrorNode, message: string, safe: string): TemplateError {
    const { name, text } = this.source;
    const place = `template: ${name}:${goLocation(text, node.pos)}: `;
    return new TemplateError(
      'exec',
      name,
      positionOf(text, node.pos),
      `${place}executing ${quote(this.name)} at <${nodeText(node)}>: ${message.toWellFormed()}`,
      place + safe,
    );
  }

  /** spend takes steps from the budget. */
  spend(steps: number): void {
    if ((this.#steps -= steps) < 0) this.fail(`exceeded the limit of ${MAX_STEPS} steps`);
  }

  // Variables.

  /** lookup is the value of the innermost variable of a name. */
  lookup(name: string): Value {
    return this.variables[this.#find(name)];
  }

  /** declare adds a variable. */
  declare(name: string, value: Value): void {
    this.names.push(name);
    this.variables.push(value);
  }

  /** assign changes the innermost variable of a name. */
  assign(name: string, value: Value): void {
    this.variables[this.#find(name)] = value;
  }

  #find(name: string): number {
    const top = this.names.length - 1;
    let i = top;
    while (i >= this.base && this.names[i] !== name) i--;
    if (i < this.base) this.fail(`undefined variable: ${name}`);
    if (top - i > 64) this.spend((top - i) >> 6);
    return i;
  }

  /** forget drops the variables from an index on. */
  forget(index: number): void {
    this.names.length = index;
    this.variables.length = index;
  }

  // Output.

  /** literal writes text of the template; first and last are its outer UTF-16 units, pos its place. */
  literal(text: string, first: number, last: number, pos: number): void {
    this.#checkEdge(first, undefined);
    this.#last = last;
    this.#lastOrigin = this.#gap = undefined;
    this.marks.push(this.out.length, pos);
    this.#write(text);
  }

  /** print writes a value; pos is the place of its action. */
  print(value: Plain, pos: number): void {
    switch (typeof value) {
      case 'string':
        this.#chunk(value, undefined, pos);
        break;
      case 'undefined':
        this.#chunk('<no value>', undefined, pos);
        break;
      default:
        if (value instanceof Derived) this.#chunk(value.text, value.origin, pos);
        else if (value instanceof Refused) throw new RefusedValue(value.parameter);
        else {
          const text = this.#sprint(value);
          if (typeof text === 'string') this.#chunk(text, undefined, pos);
          else this.#chunk(text.text, text.origin, pos);
        }
    }
  }

  #sprint(value: Plain): string | Derived {
    try {
      const text = sprint([value], this.screening);
      this.spend((typeof text === 'string' ? text : text.text).length >> 6);
      return text;
    } catch (e) {
      if (e instanceof Failure) this.fail(e.message, e.safe);
      throw e;
    }
  }

  #chunk(text: string, origin: string | undefined, pos: number): void {
    if (text === '') {
      this.#gap ??= origin;
      return;
    }
    if (this.screening !== undefined) {
      this.#checkEdge(text.charCodeAt(0), origin);
      this.#last = text.charCodeAt(text.length - 1);
      this.#lastOrigin = origin;
      this.#gap = undefined;
    }
    this.marks.push(this.out.length, ~pos);
    this.#write(text);
  }

  /** Checks what the next chunk begins with against what the last one ended with, when a value has a part in it. */
  #checkEdge(first: number, origin: string | undefined): void {
    const parameter = this.#lastOrigin ?? origin ?? this.#gap;
    if (parameter === undefined) return;
    if (pairForms(this.#last, first, this.#lastOrigin !== undefined))
      throw new RefusedValue(parameter);
  }

  #write(text: string): void {
    this.out += text;
    if (this.out.length > MAX_OUTPUT) this.fail('output exceeds 4 MiB');
  }

  // Parameters.

  /** parameter is a parameter's value as a template sees it, or undefined. */
  parameter(key: string): Plain {
    return this.#root?.get(key);
  }

  /** raw is a parameter's or a header's value to bind. */
  raw(key: string): unknown {
    const over = this.#root?.over(key);
    if (over === undefined) return this.#data.raw(key);
    return over instanceof Derived ? over.text : over;
  }

  /**
   * toBind is the value that a name binds: with `claims.` before it one of the caller's claims, which nothing that the
   * caller sends or the template sets can replace.
   */
  toBind(key: string): unknown {
    if (key.startsWith(CLAIMS)) return this.#data.claim?.(key.slice(CLAIMS.length));
    return this.raw(key);
  }

  /** isSent tells whether the caller sent a parameter, or a default was set for it. */
  isSent(key: string): boolean {
    return this.#root?.over(key) !== undefined || this.#data.isSent(key);
  }

  /** setParameter sets what a parameter is for the rest of this rendering. */
  setParameter(key: string, value: Plain): void {
    this.#root?.set(key, value);
  }

  /** bind adds a value to those sent apart from the text and gives its placeholder. */
  bind(raw: unknown): string {
    if (this.values.length >= MAX_VALUES) throw new Failure(`more than ${MAX_VALUES} bound values`);
    const text = parameterText(raw);
    if (text !== null && text.length > 64) this.spend(text.length >> 6);
    return `$${this.values.push(text)}`;
  }
}
