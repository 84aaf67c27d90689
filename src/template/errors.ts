/**
 * Errors of compiling and rendering: TemplateError for an invalid template or one that does not fit its data,
 * RefusedValue for a value of the request that may not become SQL text. FunctionFailure is internal: a TemplateError
 * without a position.
 */

/** A position in a template: line and column from 1, in characters (code points). */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** TemplateError says which template failed, at which stage, where and why. */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
  readonly stage: 'parse' | 'exec';
  /** The template's name as given to compile. */
  readonly template: string;
  readonly line: number;
  readonly column: number;
  /** The message without data, string constants or other text of the script: safe to log. */
  readonly safeMessage: string;

  constructor(
    stage: 'parse' | 'exec',
    template: string,
    position: Position,
    message: string,
    safeMessage: string,
  ) {
    super(message);
    this.stage = stage;
    this.template = template;
    this.line = position.line;
    this.column = position.column;
    this.safeMessage = safeMessage;
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

/** FunctionFailure is an error in a function; the caller adds the position. */
export class FunctionFailure extends Error {
  /** As TemplateError.safeMessage. */
  readonly safe: string;

  constructor(message: string, safe: string = message) {
    super(message);
    this.safe = safe;
  }
}
