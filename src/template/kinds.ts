/**
 * Values for which JavaScript has no type, and the markers for values of a request: Tainted for text that must be
 * checked, Refused for a value that may not be rendered.
 */

/** Float is a Go float64. */
export class Float {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

/** Complex is a Go complex128. */
export class Complex {
  readonly re: number;
  readonly im: number;
  constructor(re: number, im: number) {
    this.re = re;
    this.im = im;
  }
}

/** Counted is a byte of a string (uint8), or an int computed from tainted text. */
export class Counted {
  readonly value: number;
  readonly type: 'uint8' | 'int';
  readonly origin: string | undefined;
  constructor(value: number, type: 'uint8' | 'int', origin: string | undefined) {
    this.value = value;
    this.type = type;
    this.origin = origin;
  }
}

/** Part is a range of a text that came from a parameter: start and end (UTF-16 units), and the parameter's name. */
export type Part = readonly [start: number, end: number, origin: string];

/** Tainted is text that came from a parameter of a request or contains such text: it is checked when rendered. */
export class Tainted {
  readonly text: string;
  /** The (first) parameter's name. */
  readonly origin: string;
  /** The ranges that came from parameters, in order; undefined for the whole text. See partsOf. */
  readonly parts: readonly Part[] | undefined;
  constructor(text: string, origin: string, parts?: readonly Part[]) {
    this.text = text;
    this.origin = origin;
    this.parts = parts;
  }
}

/** partsOf are the ranges of a tainted text that came from parameters. */
export function partsOf({ text, origin, parts }: Tainted): readonly Part[] {
  return parts ?? [[0, text.length, origin]];
}

/**
 * Refused stands for a value that the screen refused. It may be passed around and tests true; using its text throws
 * RefusedValue, and eq, len and index throw a TemplateError.
 */
export class Refused {
  readonly parameter: string;
  constructor(parameter: string) {
    this.parameter = parameter;
  }
}
