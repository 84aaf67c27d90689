/**
 * The kinds of values that JavaScript has no type for, and the marks that travel with values: Derived for text that
 * came from a request, Refused for a value that may not be rendered. A leaf: imports nothing.
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

/** Counted is an integer that is a byte of a string (uint8), or one whose origin is kept (an int). */
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

/** Derived is text that came from a parameter of a request, or was made with such text: it is checked when rendered. */
export class Derived {
  readonly text: string;
  /** The (first) parameter's name. */
  readonly origin: string;
  constructor(text: string, origin: string) {
    this.text = text;
    this.origin = origin;
  }
}

/**
 * Refused stands for a value that the screen refused. It may be passed around and tests true; whoever needs its text
 * gets a RefusedValue error, and eq, len and index a template error.
 */
export class Refused {
  /** The parameter's name. */
  readonly parameter: string;
  constructor(parameter: string) {
    this.parameter = parameter;
  }
}
