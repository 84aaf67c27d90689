/**
 * Errors of compiling and rendering: TemplateError for an invalid template or one that does not fit its data,
 * InvalidParameter where a value of the request is the cause, RefusedValue for one that may not become SQL text.
 * FunctionFailure is internal: a TemplateError without a position.
 */
import type { Position } from '../base/position.js';
import type { Plain } from './container.js';
import type { Refused } from './kinds.js';
import type { Source } from './source.js';

/** TemplateError says which template failed, at which stage, where and why. */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
  readonly stage: 'parse' | 'exec';
  /** The template's name as given to compile. */
  readonly template: string;
  readonly line: number;
  readonly column: number;
  /** The message without data, string constants or other text of the script, and the hint: safe to log. */
  readonly safeMessage: string;
  /** What the author most likely meant. */
  readonly hint: string | undefined;
  /** Private, because loggers write the properties of an error. */
  readonly #text: string;

  constructor(
    stage: 'parse' | 'exec',
    source: Source,
    position: Position,
    message: string,
    safeMessage: string,
    hint?: string,
  ) {
    super(message);
    this.stage = stage;
    this.template = source.name;
    this.#text = source.text;
    this.line = position.line;
    this.column = position.column;
    this.safeMessage = hint === undefined ? safeMessage : `${safeMessage}; ${hint}`;
    this.hint = hint;
  }

  get text(): string {
    return this.#text;
  }
}

/** The fault of a parameter of the request; never its value. */
export interface InvalidValue {
  /** The parameter's name; `header.<Name>` for a header. */
  readonly parameter: string;
  /** What the template needs instead: `an integer`. */
  readonly expected: string;
  /** Whether it was not sent. */
  readonly missing: boolean;
  /** Whether pREST's text for the error of a template is kept in responses, because recordings fix it. */
  readonly keepsText: boolean;
}

/** InvalidParameter is a TemplateError of stage exec that a parameter of the request caused. */
export class InvalidParameter extends TemplateError {
  override readonly name: string = 'InvalidParameter';
  readonly invalid: InvalidValue;

  constructor(
    source: Source,
    position: Position,
    message: string,
    safeMessage: string,
    invalid: InvalidValue,
  ) {
    super('exec', source, position, message, safeMessage);
    this.invalid = invalid;
  }
}

/** RefusedValue names a parameter whose text may not be rendered into SQL. It never contains the text. */
export class RefusedValue extends Error {
  override readonly name = 'RefusedValue';
  readonly parameter: string;

  constructor(parameter: string) {
    super(`value of parameter ${parameter} cannot be interpolated safely`);
    this.parameter = parameter;
  }
}

/** The value that made a function fail, or the parameter that it comes from, and what the function needs instead. */
export interface Fault {
  readonly expected: string;
  /** Undefined or null for an argument that is absent. */
  readonly value?: Plain;
  readonly parameter?: string;
  readonly missing?: boolean;
  readonly keepsText?: boolean;
}

/** FunctionFailure is an error in a function; the caller adds the position. */
export class FunctionFailure extends Error {
  /** As TemplateError.safeMessage. */
  readonly safe: string;
  /** Undefined if no data could be valid. */
  readonly fault: Fault | undefined;

  constructor(message: string, fault?: Fault, safe: string = message) {
    super(message);
    this.safe = safe;
    this.fault = fault;
  }
}

/** What is expected instead of a refused value. */
export const UNSCREENED = 'a value without SQL syntax';

/** refused is the failure of a function that needs a value which was refused; `message` says what for. */
export function refused(value: Refused, message: string): FunctionFailure {
  return new FunctionFailure(`value was refused and ${message}`, { value, expected: UNSCREENED });
}
