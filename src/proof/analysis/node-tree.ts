/**
 * Parser for PostgreSQL's text of parse trees (outfuncs.c, read there by read.c and readfuncs.c): what pg_proc.prosqlbody and
 * pg_rewrite.ev_action hold. It knows the syntax only, not the fields of any version. Throws TreeError for text that is no
 * tree, and for trees deeper than DEEPEST.
 */

/** A value of a tree: a node, a list (also of a datum's bytes, or of a set of numbers), a token, or null for `<>`. */
export type TreeValue = TreeNode | readonly TreeValue[] | string | null;

export class TreeError extends Error {
  override readonly name = 'TreeError';
}

/** Nodes and lists inside each other: far more than people write, and what this thread's stack can hold. */
const DEEPEST = 1_000;

/** Tags of versions 14 and 15, and those that 16 and later give the same nodes. */
const RENAMED: Readonly<Record<string, string>> = {
  RTE: 'RANGETBLENTRY',
  ARRAY: 'ARRAYEXPR',
  ROW: 'ROWEXPR',
  CASE: 'CASEEXPR',
  WHEN: 'CASEWHEN',
  COALESCE: 'COALESCEEXPR',
  MINMAX: 'MINMAXEXPR',
  COLLATE: 'COLLATEEXPR',
  ROWCOMPARE: 'ROWCOMPAREEXPR',
};

const NONE: readonly never[] = [];

export class TreeNode {
  /** The tag of version 16 and later, for example OPEXPR. */
  readonly tag: string;
  readonly fields: ReadonlyMap<string, TreeValue>;

  constructor(tag: string, fields: ReadonlyMap<string, TreeValue>) {
    this.tag = RENAMED[tag] ?? tag;
    this.fields = fields;
  }

  has(field: string): boolean {
    return this.fields.has(field);
  }

  get(field: string): TreeValue {
    return this.fields.get(field) ?? null;
  }

  /** node is the node of a field; undefined for `<>`, and for a field that this version does not have. */
  node(field: string): TreeNode | undefined {
    const value = this.get(field);
    return value instanceof TreeNode ? value : undefined;
  }

  /** list is the list of a field, empty for `<>`. */
  list(field: string): readonly TreeValue[] {
    const value = this.get(field);
    return isList(value) ? value : NONE;
  }

  nodes(field: string): readonly TreeNode[] {
    return nodesOf(this.list(field));
  }

  /** numbers are the members of a list or set of numbers. */
  numbers(field: string): readonly number[] {
    return this.list(field).map(Number);
  }

  /** number is a field's number, 0 for none. */
  number(field: string): number {
    return Number(this.text(field));
  }

  /** text is a field's token, empty for none. */
  text(field: string): string {
    const value = this.get(field);
    return typeof value === 'string' ? value : '';
  }

  flag(field: string): boolean {
    return this.get(field) === 'true';
  }
}

export function isNode(value: TreeValue | undefined): value is TreeNode {
  return value instanceof TreeNode;
}

export function isList(value: TreeValue): value is readonly TreeValue[] {
  return Array.isArray(value);
}

/** nodesOf are the nodes among the values of a list. */
export function nodesOf(list: readonly TreeValue[]): readonly TreeNode[] {
  return list.filter((value) => value instanceof TreeNode);
}

/** walk visits every node of a value, parents first. */
export function walk(value: TreeValue, visit: (node: TreeNode) => void): void {
  if (value instanceof TreeNode) {
    visit(value);
    for (const field of value.fields.values()) walk(field, visit);
  } else if (isList(value)) {
    for (const item of value) walk(item, visit);
  }
}

/** Fields that say how an expression was written, and from how deep inside it a column is used. */
const WRITTEN = /^(?:location|list_start|list_end|varlevelsup|var(?:att)?nosyn|\w*format)$/;

/** isSame tells whether two values are the same expression, however it was written (as equalfuncs.c does). */
export function isSame(a: TreeValue, b: TreeValue): boolean {
  if (a instanceof TreeNode)
    return (
      b instanceof TreeNode &&
      a.tag === b.tag &&
      [...a.fields].every(([name, value]) => WRITTEN.test(name) || isSame(value, b.get(name)))
    );
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]!));
  return a === b;
}

/** parseTree reads a text. */
export function parseTree(text: string): TreeValue {
  const parser = new Parser(text);
  const value = parser.value();
  if (parser.peek() !== '') throw new TreeError('text after the end of the tree');
  return value;
}

/** What ends a token; a backslash takes the character after it into the token. */
const TOKEN = /[\s]*([(){}]|(?:\\[^]|[^\s(){}\\])+)?/y;

class Parser {
  readonly #text: string;
  /** Where the token after the next one begins. */
  #at = 0;
  #next: string;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#next = this.#scan();
  }

  /** The next token as it is written; empty at the end. */
  peek(): string {
    return this.#next;
  }

  value(): TreeValue {
    const token = this.#take();
    switch (token) {
      case '{':
        return this.#nested(() => this.#node());
      case '(':
        return this.#nested(() => this.#list());
      case '<>':
        return null;
      case '':
      case ')':
      case '}':
        throw new TreeError(`unexpected ${token === '' ? 'end' : token}`);
      default:
        return unescaped(token);
    }
  }

  #nested<Value>(read: () => Value): Value {
    if (++this.#depth > DEEPEST) throw new TreeError('the tree is too deep');
    const value = read();
    this.#depth--;
    return value;
  }

  #node(): TreeNode {
    const tag = this.#take();
    const fields = new Map<string, TreeValue>();
    while (this.#next !== '}') {
      const name = this.#take();
      if (!name.startsWith(':')) throw new TreeError(`unexpected ${name || 'end'}`);
      fields.set(name.slice(1), this.#field());
    }
    this.#take();
    return new TreeNode(tag, fields);
  }

  /** The value of a field: of a datum its length and its bytes, of an array several tokens. */
  #field(): TreeValue {
    const value = this.value();
    if (typeof value !== 'string' || isBoundary(this.#next)) return value;
    const items: TreeValue[] = [value];
    while (!isBoundary(this.#next)) items.push(this.value());
    return items;
  }

  #list(): readonly TreeValue[] {
    const items: TreeValue[] = [];
    // (i 1 2), (o …), (x …) and (b …) are lists and sets of numbers.
    if (/^[ioxb]$/.test(this.#next)) this.#take();
    while (this.#next !== ')') items.push(this.value());
    this.#take();
    return items;
  }

  #take(): string {
    const token = this.#next;
    this.#next = this.#scan();
    return token;
  }

  #scan(): string {
    TOKEN.lastIndex = this.#at;
    const token = TOKEN.exec(this.#text)?.[1] ?? '';
    this.#at = TOKEN.lastIndex;
    return token;
  }
}

/** Whether a token is behind the value of a field. */
function isBoundary(token: string): boolean {
  return token === '' || token === '}' || token.startsWith(':');
}

/** Names in lists are quoted, and an empty text is two quotes; a token that is not a quoted one begins with a backslash then. */
function unescaped(token: string): string {
  const inner = token.startsWith('"') ? token.slice(1, -1) : token;
  return inner.includes('\\') ? inner.replace(/\\([^])/g, '$1') : inner;
}
