/**
 * Rendering: the state of one run of a template: the data, the output with its map back to the template, the bound
 * values, the variables, the budget of steps. Refuses values that would form SQL syntax together with adjacent text, and
 * fails when a limit is exceeded.
 */
import { positionOf } from '../base/position.js';
import { List, MapValue, fromData, type Plain, type Value } from './container.js';
import { isTemplateMap, PlainData, type Screening, type TemplateMap } from './data.js';
import {
  FunctionFailure,
  InvalidParameter,
  RefusedValue,
  TemplateError,
  type Fault,
} from './errors.js';
import { Tainted, partsOf, Refused, type Part } from './kinds.js';
import { FREE_BINDINGS, INTERRUPT_STEPS, MAX_OUTPUT, MAX_STEPS, MAX_VALUES } from './limits.js';
import { completedPrefix, mayPrefix, pairForms } from './neighbours.js';
import { nodeText, type ErrorNode } from './node.js';
import { sprint } from './printer.js';
import type { Observer } from './observer.js';
import { quote } from './quote.js';
import { goLocation, type Source } from './source.js';
import { originOf, textOf } from './value.js';
import { boundText } from './bound-value.js';

const CLAIMS = 'claims.';

/** A character of a word; the part of a word at the end of a text. */
const WORD = /^[A-Za-z0-9_]/;
const WORD_END = /[A-Za-z0-9_.]*$/;
/** Length of the text before a value that is examined, UTF-16 units: longer than any keyword. */
const NEAR = 64;
/** Longest last part of the output, UTF-16 units: reading a part of a text that grows makes V8 copy all of it. */
const LAST_PART = 1024;

export class Rendering {
  readonly source: Source;
  readonly dot: Plain;
  /** The node being executed. */
  node: ErrorNode = { kind: 'dot', pos: 0 };
  /** Name of the template being executed: the source's own or one defined in it. */
  name: string;
  readonly screening: Screening | undefined;
  readonly observer: Observer | undefined;
  readonly values: (string | null)[] = [];
  /** Values that are bytes, by index: in `values` they are empty. */
  bytes: Map<number, Uint8Array> | undefined;
  /** Offset in the output and offset in the template of each chunk; see `locate` in source.ts. */
  readonly marks: number[] = [];
  /** The ranges of the output that came from parameters. */
  parts: Part[] | undefined;
  /** Identifiers quoted by `ident`, with their parameters. */
  identifiers: Map<string, string> | undefined;
  /** The output: a part that only grows, and the last one. */
  #before = '';
  #near = '';

  readonly #data: TemplateMap;
  readonly #root: MapValue | undefined;
  #steps = MAX_STEPS;
  /** Below so many steps left, the data is asked whether to go on. */
  #goOn = MAX_STEPS - INTERRUPT_STEPS;
  /** Characters of bound values that cost no steps. */
  #free: number | undefined;
  #last = 0;
  #lastOrigin: string | undefined;
  /** The unit before the last one, if the last one came from a parameter. */
  #beforeLast = 0;
  /** Offsets after a letter of a parameter that may be the prefix of a literal, with the parameter. */
  #edges: Map<number, string> | undefined;
  /** Origin of an empty value between the last chunk and the next one. */
  #gap: string | undefined;

  /** Names and values of the variables; in the template being executed they begin at `base`. */
  readonly names: string[] = ['$'];
  readonly variables: Value[] = [];
  base = 0;

  constructor(source: Source, data: unknown) {
    this.source = source;
    this.name = source.name;
    if (isTemplateMap(data)) {
      this.#data = data;
      this.observer = data.observer;
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

  error(node: ErrorNode, message: string, safe: string): TemplateError {
    const { name, text } = this.source;
    const place = `template: ${name}:${goLocation(text, node.pos)}: `;
    return new TemplateError(
      'exec',
      this.source,
      positionOf(text, node.pos),
      `${place}executing ${quote(this.name)} at <${nodeText(node)}>: ${message.toWellFormed()}`,
      place + safe,
    );
  }

  /** invalid is the error of a fault: it names the parameter that the value comes from, if it comes from one. */
  invalid(node: ErrorNode, message: string, safe: string, fault: Fault): TemplateError {
    const error = this.error(node, message, safe);
    const { value, expected, keepsText = false } = fault;
    const parameter = fault.parameter ?? originOf(value);
    if (parameter === undefined) return error;
    const invalid = { parameter, expected, missing: fault.missing ?? false, keepsText };
    return new InvalidParameter(this.source, error, error.message, error.safeMessage, invalid);
  }

  /** spend takes steps from the budget. */
  spend(steps: number): void {
    if ((this.#steps -= steps) < this.#goOn) this.#interrupt();
  }

  #interrupt(): void {
    if (this.#steps < 0) this.fail(`exceeded the limit of ${MAX_STEPS} steps`);
    this.#goOn = Math.max(0, this.#steps - INTERRUPT_STEPS);
    this.#data.interrupt?.();
  }

  // Variables.

  lookup(name: string): Value {
    return this.variables[this.#find(name)];
  }

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

  get out(): string {
    return this.#before + this.#near;
  }

  /** Its length, UTF-16 units. */
  get #length(): number {
    return this.#before.length + this.#near.length;
  }

  /** literal writes text of the template; first and last are its outer UTF-16 units, pos its offset. */
  literal(text: string, first: number, last: number, pos: number): void {
    this.#checkEdge(first, undefined);
    this.#last = last;
    this.#lastOrigin = this.#gap = undefined;
    this.marks.push(this.#length, pos);
    this.#write(text);
  }

  /** print writes a value; pos is the offset of its action. */
  print(value: Plain, pos: number): void {
    if (value instanceof Refused) throw new RefusedValue(value.parameter);
    let text: string | Tainted;
    if (typeof value === 'string' || value instanceof Tainted) text = value;
    else text = value === undefined ? '<no value>' : this.#sprint(value);
    if (typeof text === 'string') this.#chunk(text, undefined, pos);
    else this.#tainted(text, pos);
  }

  #sprint(value: Plain): string | Tainted {
    try {
      if (value instanceof List) this.spend(value.length);
      const text = sprint([value], this.screening);
      // That it is empty is what the request chose.
      if (value instanceof List && value.length === 0 && value.origin !== '')
        return new Tainted(textOf(text)!, value.origin);
      this.spend((typeof text === 'string' ? text : text.text).length >> 6);
      return text;
    } catch (e) {
      if (e instanceof FunctionFailure) this.fail(e.message, e.safe);
      throw e;
    }
  }

  #tainted(value: Tainted, pos: number): void {
    const { text, origin } = value;
    const at = this.#length;
    const { screening } = this;
    const near = screening === undefined ? '' : this.#near;
    this.#chunk(text, origin, pos);
    this.parts ??= [];
    for (const [start, end, parameter] of partsOf(value)) {
      this.parts.push([at + start, at + end, parameter]);
      const [before, letter] = [text.charCodeAt(end - 2), text.charCodeAt(end - 1)];
      if (mayPrefix(before, letter, text.charCodeAt(end))) this.#edge(at + end, parameter);
      if (screening === undefined) continue;
      const part = text.slice(start, end);
      if (!part.includes(' ') || !WORD.test(part)) continue; // the screen finds keywords only in such values
      const preceding = near.slice(-NEAR) + text.slice(Math.max(0, start - NEAR), start);
      const word = WORD_END.exec(preceding.slice(-NEAR))![0];
      // A keyword may directly follow a number.
      if (word !== '' && !screening(word + part)) throw new RefusedValue(parameter);
    }
  }

  #chunk(text: string, origin: string | undefined, pos: number): void {
    if (text === '') {
      this.#gap ??= origin;
      return;
    }
    if (this.screening !== undefined) {
      this.#checkEdge(text.charCodeAt(0), origin);
      this.#beforeLast = text.length > 1 ? text.charCodeAt(text.length - 2) : this.#last;
      this.#last = text.charCodeAt(text.length - 1);
      this.#lastOrigin = origin;
      this.#gap = undefined;
    }
    this.marks.push(this.#length, ~pos);
    this.#write(text);
  }

  /**
   * Checks the boundary between the last chunk and the next one, if one of them, or an empty one between, is a value.
   */
  #checkEdge(first: number, origin: string | undefined): void {
    const parameter = this.#lastOrigin ?? origin ?? this.#gap;
    if (parameter === undefined) return;
    if (pairForms(this.#last, first, this.#lastOrigin !== undefined))
      throw new RefusedValue(parameter);
    // A letter of the script itself counts if an empty value separates it from the quote.
    const letter = this.#lastOrigin ?? this.#gap;
    if (letter === undefined) return;
    const before = this.#lastOrigin === undefined ? 0 : this.#beforeLast;
    if (mayPrefix(before, this.#last, first)) this.#edge(this.#length, letter);
  }

  #edge(at: number, parameter: string): void {
    (this.#edges ??= new Map()).set(at, parameter);
  }

  /** finish refuses a value that is the prefix of a literal, which only the whole output shows. */
  finish(): void {
    if (this.#edges === undefined) return;
    const parameter = completedPrefix(this.out, this.#edges);
    if (parameter !== undefined) throw new RefusedValue(parameter);
  }

  #write(text: string): void {
    this.#near += text;
    if (this.#near.length <= LAST_PART) return;
    this.#before += this.#near.slice(0, -NEAR);
    this.#near = this.#near.slice(-NEAR);
    if (this.#before.length + NEAR > MAX_OUTPUT) this.fail('output exceeds 4 MiB');
  }

  // Parameters.

  /** parameter is the screened value of a parameter, or undefined. */
  parameter(key: string): Plain {
    return this.#root?.get(key);
  }

  /** raw is the value of a parameter or header for binding. */
  raw(key: string): unknown {
    const over = this.#root?.over(key);
    if (over === undefined) return this.#data.raw(key);
    return over instanceof Tainted ? over.text : over;
  }

  /**
   * toBind is the value to bind for a name. A name with the prefix `claims.` is one of the caller's claims, which
   * neither a request nor the template can override.
   */
  toBind(key: string): unknown {
    if (key.startsWith(CLAIMS)) return this.#data.claim?.(key.slice(CLAIMS.length));
    return this.#data.bytes?.(key) ?? this.raw(key);
  }

  /** isSent tells whether the caller sent a parameter, or a default was set for it. */
  isSent(key: string): boolean {
    return this.#root?.over(key) !== undefined || this.#data.isSent(key);
  }

  /** defaultOrValue is a parameter, or its declared default, or `standard`, which it then is for the rest of the template. */
  defaultOrValue(key: string, standard: Plain): Plain {
    if (this.isSent(key) || this.#data.fallback?.(key) !== undefined) return this.parameter(key);
    this.#root?.set(key, standard);
    return standard;
  }

  /** identifier records a quoted identifier and the parameter it came from. */
  identifier(quoted: string, parameter: string): string {
    (this.identifiers ??= new Map()).set(quoted, parameter);
    return quoted;
  }

  /** bind adds a bound value and returns its placeholder. */
  bind(raw: unknown): string {
    if (this.values.length >= MAX_VALUES)
      throw new FunctionFailure(`more than ${MAX_VALUES} bound values`);
    if (Array.isArray(raw)) this.spend(raw.length);
    if (raw instanceof Uint8Array) {
      this.#spendBound(raw.length);
      (this.bytes ??= new Map()).set(this.values.length, raw);
      return `$${this.values.push('')}`;
    }
    const text = boundText(raw);
    if (text !== null && text.length > 64) this.#spendBound(text.length);
    return `$${this.values.push(text)}`;
  }

  /** A large body does not exhaust the steps by being bound. */
  #spendBound(length: number): void {
    this.#free ??= FREE_BINDINGS * (this.#data.size ?? 0);
    if (length <= this.#free) this.#free -= length;
    else this.spend(length >> 6);
  }
}
