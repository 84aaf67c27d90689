/**
 * Patterns of declared parameters: regular expressions in the syntax of JavaScript, without look-around, back references
 * and \b, that match a whole value. They are run as an automaton, so that the time is linear in the value whatever the
 * pattern: JavaScript's own engine may take exponential time.
 */

/** PatternError: its message is for the author. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Most states of an automaton, and of repetitions of one part. */
const MAX_STATES = 2_000;

/** Longest value that is matched, characters. */
export const LONGEST_MATCHED = 10_000;

/** compilePattern gives the test of a pattern. A value longer than LONGEST_MATCHED does not match. Throws PatternError. */
export function compilePattern(source: string): (value: string) => boolean {
  const tree = new PatternParser(source).parse();
  const automaton = new Automaton();
  const start = automaton.add(tree, automaton.end);
  return (value) => automaton.matches(start, value);
}

type Accepts = (character: string) => boolean;

type PatternNode =
  | { readonly kind: 'one'; readonly accepts: Accepts }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly node: PatternNode;
      readonly least: number;
      readonly most: number;
    };

/** Parts of a pattern that stand for one character: an escape, a class, any other character. */
const ONE =
  /\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[pP]\{[^{}]{1,80}\}|\\[dDwWsStnrfv]|\\[\^$\\.*+?()[\]{}|/-]|\[(?:\\[^]|[^\]\\])*\]|[^\\[\](){}*+?|^$]/uy;
const QUANTIFIER = /(?:[*+?]|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})\??/y;

class PatternParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    // The whole value is matched anyway.
    const text = source.startsWith('^') ? source.slice(1) : source;
    this.#source = /(?:^|[^\\])(?:\\\\)*\$$/.test(text) ? text.slice(0, -1) : text;
  }

  parse(): PatternNode {
    const node = this.#choice(0);
    if (this.#at < this.#source.length) throw this.#unexpected();
    return node;
  }

  #choice(depth: number): PatternNode {
    if (depth > 50) throw new PatternError('the pattern is nested too deeply');
    const nodes = [this.#sequence(depth)];
    while (this.#source.charAt(this.#at) === '|') {
      this.#at++;
      nodes.push(this.#sequence(depth));
    }
    return nodes.length === 1 ? nodes[0]! : { kind: 'choice', nodes };
  }

  #sequence(depth: number): PatternNode {
    const nodes: PatternNode[] = [];
    for (;;) {
      const next = this.#source.charAt(this.#at);
      if (next === '' || next === '|' || next === ')') return { kind: 'sequence', nodes };
      nodes.push(this.#repeated(next === '(' ? this.#group(depth) : this.#one()));
    }
  }

  #group(depth: number): PatternNode {
    const opening = /\((?:\?:|(?!\?))/y;
    opening.lastIndex = this.#at;
    const text = opening.exec(this.#source)?.[0];
    if (text === undefined) throw this.#unexpected();
    this.#at += text.length;
    const node = this.#choice(depth + 1);
    if (this.#source.charAt(this.#at) !== ')') throw new PatternError('a ( is not closed');
    this.#at++;
    return node;
  }

  #one(): PatternNode {
    ONE.lastIndex = this.#at;
    const text = ONE.exec(this.#source)?.[0];
    if (text === undefined) throw this.#unexpected();
    this.#at += text.length;
    let pattern: RegExp;
    try {
      pattern = new RegExp(`^${text}$`, 'su');
    } catch {
      throw new PatternError(`${JSON.stringify(text)} is not valid`);
    }
    return { kind: 'one', accepts: (character) => pattern.test(character) };
  }

  #repeated(node: PatternNode): PatternNode {
    QUANTIFIER.lastIndex = this.#at;
    const match = QUANTIFIER.exec(this.#source);
    if (match === null) return node;
    this.#at += match[0].length;
    const [text, from, comma, to] = match;
    const least = from === undefined ? (text.startsWith('+') ? 1 : 0) : Number(from);
    let most = text.startsWith('?') ? 1 : Infinity;
    if (from !== undefined)
      most = comma === undefined ? least : to === undefined ? Infinity : Number(to);
    if (most < least) throw new PatternError(`${text} counts downwards`);
    return { kind: 'repeat', node, least, most };
  }

  #unexpected(): PatternError {
    const rest = JSON.stringify(this.#source.slice(this.#at, this.#at + 10));
    return new PatternError(
      `it does not compile at ${rest}; look-around, back references, \\b and inner ^ and $ are not supported`,
    );
  }
}

interface State {
  /** Undefined for a state that only leads to others. */
  readonly accepts: Accepts | undefined;
  readonly next: State[];
  /** The step in which it was last reached. */
  seen: number;
}

class Automaton {
  readonly end: State = { accepts: undefined, next: [], seen: -1 };
  #states = 1;
  #step = 0;

  /** add gives the state at which `node` begins and after which `next` follows. */
  add(node: PatternNode, next: State): State {
    switch (node.kind) {
      case 'one':
        return this.#state(node.accepts, [next]);
      case 'sequence':
        return node.nodes.reduceRight((following, one) => this.add(one, following), next);
      case 'choice':
        return this.#state(
          undefined,
          node.nodes.map((one) => this.add(one, next)),
        );
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat(
    { node, least, most }: Extract<PatternNode, { readonly kind: 'repeat' }>,
    next: State,
  ): State {
    let start = next;
    if (most === Infinity) {
      start = this.#state(undefined, [next]);
      start.next.push(this.add(node, start));
    } else
      for (let i = least; i < most; i++)
        start = this.#state(undefined, [next, this.add(node, start)]);
    for (let i = 0; i < least; i++) start = this.add(node, start);
    return start;
  }

  #state(accepts: Accepts | undefined, next: State[]): State {
    if (++this.#states > MAX_STATES) throw new PatternError('the pattern is too large');
    return { accepts, next, seen: -1 };
  }

  matches(start: State, value: string): boolean {
    if (value.length > LONGEST_MATCHED) return false;
    let current = this.#reach([start]);
    for (const character of value) {
      const reached: State[] = [];
      for (const { accepts, next } of current)
        if (accepts?.(character) === true) reached.push(next[0]!);
      current = this.#reach(reached);
      if (current.length === 0) return false;
    }
    return current.includes(this.end);
  }

  /** The states that are reached without another character, each once. */
  #reach(from: readonly State[]): State[] {
    const step = ++this.#step;
    const reached: State[] = [];
    const open = [...from];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (state.seen === step) continue;
      state.seen = step;
      reached.push(state);
      if (state.accepts === undefined) open.push(...state.next);
    }
    return reached;
  }
}
