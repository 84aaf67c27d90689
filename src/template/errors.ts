/**
 * What compiling and rendering throw: TemplateError for a template that is wrong or does not fit its data, RefusedValue
 * for a value of the request that may not become SQL text. Failure is the internal form, before its place is known.
 */

/** Where a template stands or fails: line and column counted from 1, in characters (code points). */
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
  /** The message without data, string constants or other text of the script: what a log may hold. */
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

/** RefusedValue says which parameter holds text that may not be rendered into SQL. It never holds the text. */
export class RefusedValue extends Error {
  override readonly name = 'RefusedValue';
  readonly parameter: string;

  constructor(parameter: string) {
    super(`value of parameter ${parameter} cannot be interpolated safely`);
    this.parameter = parameter;
  }
}

/** Failure is an execution error on its way to the place that knows its position. */
export class Failure extends Error {
  /** As TemplateError.safeMessage. */
  readonly safe: string;

  constructor(message: string, safe: string = message) {
    super(message);
    this.safe = safe;
  }
}
