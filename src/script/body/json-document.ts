/**
 * Reads a JSON document for scripts: members by name, scalars as their text, everything else as the text that was sent, so
 * that no digit of a number is lost. Stricter than JSON.parse: refuses duplicate members, NUL, lone surrogates and deep
 * nesting, which PostgreSQL or another reader would see differently. Names are keys of Maps only.
 */
import { printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser';
import { invalidBodyAt } from './body-error.js';

/** The text of a scalar; null for a null. */
export type JsonScalar = string | null;

/** An array of anything but scalars is its text. */
export type JsonValue = JsonScalar | JsonList | JsonObject;

/** Deepest nesting of objects and arrays. */
export const MAX_DEPTH = 64;

/** Most dots of a name that may be members of objects in objects: each is looked up by itself. */
const MAX_DOTS = 2 * MAX_DEPTH;

/** The part of a document from `start` to `end` (UTF-16 units). */
class DocumentPart {
  readonly #document: string;
  readonly #start: number;
  readonly #end: number;

  constructor(document: string, start: number, end: number) {
    this.#document = document;
    this.#start = start;
    this.#end = end;
  }

  /** As sent. */
  get text(): string {
    return this.#document.slice(this.#start, this.#end);
  }
}

export class JsonList extends DocumentPart {
  readonly items: readonly JsonScalar[];

  constructor(items: readonly JsonScalar[], document: string, start: number, end: number) {
    super(document, start, end);
    this.items = items;
  }
}

export class JsonObject extends DocumentPart {
  readonly #members: ReadonlyMap<string, JsonValue>;

  constructor(
    members: ReadonlyMap<string, JsonValue>,
    document: string,
    start: number,
    end: number,
  ) {
    super(document, start, end);
    this.#members = members;
  }

  /**
   * get gives a member by name, or undefined. Dots lead into objects; of names that contain dots themselves
   * the longest that fits counts.
   */
  get(name: string): JsonValue | undefined {
    const value = this.#members.get(name);
    if (value !== undefined) return value;
    let end = name.lastIndexOf('.');
    for (let dots = 0; end > 0 && dots < MAX_DOTS; dots++) {
      const inner = this.#members.get(name.slice(0, end));
      if (inner !== undefined)
        return inner instanceof JsonObject ? inner.get(name.slice(end + 1)) : undefined;
      end = name.lastIndexOf('.', end - 1);
    }
    return undefined;
  }

  /** scalars gives all texts of scalars outside arrays of objects, at any depth. */
  *scalars(): Generator<string> {
    for (const value of this.#members.values()) {
      if (value instanceof JsonObject) yield* value.scalars();
      else if (value instanceof JsonList) yield* value.items.filter((item) => item !== null);
      else if (value !== null) yield value;
    }
  }
}

/**
 * readJson reads a document, of which only the members with these names, dotted for members of inner objects, are kept; by
 * default all. A small document can have so many members that the rest would take a lot of memory. Throws ServiceError
 * `invalid_body` with line and column.
 */
export function readJson(text: string, wanted?: ReadonlySet<string>): JsonValue {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK)
    throw invalidBodyAt('a byte order mark, which JSON must not have,', text, 0);
  const reader = new JsonReader(text, wanted);
  visit(text, reader, { disallowComments: true });
  return reader.document!;
}

/** Names of members, dotted behind `body`: whether their value is taken, or only members of it. */
export type KnownMembers = ReadonlyMap<string, boolean>;

/** unknownMembers lists the other members of a document, which is valid. Members inside of a value are not looked at. */
export function unknownMembers(text: string, known: KnownMembers): string[] {
  const unknown: string[] = [];
  const none = (): void => undefined; // without a visitor of ends, the parser does not go on after what it leaves out
  visit(text, {
    onObjectBegin: (_offset, _length, _line, _character, path) =>
      path().length === 0 || known.get(['body', ...path()].join('.')) === false,
    onArrayBegin: () => false,
    onObjectEnd: none,
    onArrayEnd: none,
    onObjectProperty: (member, _offset, _length, _line, _character, path) => {
      const name = ['body', ...path(), member].join('.');
      if (!known.has(name)) unknown.push(name);
    },
  });
  return unknown;
}

const BYTE_ORDER_MARK = 0xfeff;

/** Descriptions of faults, by the parser's name for them. */
const PROBLEMS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is expected',
  CloseBracketExpected: 'a closing bracket is expected',
  EndOfFileExpected: 'the end is expected',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidUnicode: 'four hexadecimal digits are expected after \\u',
  InvalidEscapeCharacter: 'an unknown escape',
  InvalidCharacter: 'a control character must be escaped',
};

/** An object or an array whose end is to come. */
interface Open {
  readonly start: number;
  /** Before the names of its members, with a dot at the end; undefined where it is not kept. */
  readonly path: string | undefined;
  /** Of all its members; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** Those that are kept. */
  readonly members: Map<string, JsonValue> | undefined;
  /** Undefined for an object, and for an array that is not kept or not of scalars alone. */
  items: JsonScalar[] | undefined;
  /** The member whose value is to come. */
  name: string;
}

class JsonReader {
  document: JsonValue | undefined;
  readonly #text: string;
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #open: Open[] = [];

  constructor(text: string, wanted: ReadonlySet<string> | undefined) {
    this.#text = text;
    this.#wanted = wanted;
  }

  readonly onObjectBegin = (start: number): void => {
    const path = this.#path();
    const members = path === undefined ? undefined : new Map<string, JsonValue>();
    this.#begin({ start, path, names: new Set(), members, items: undefined, name: '' });
  };

  readonly onArrayBegin = (start: number): void => {
    const path = this.#path();
    const items = path === undefined ? undefined : [];
    this.#begin({ start, path, names: undefined, members: undefined, items, name: '' });
  };

  readonly onObjectProperty = (name: string, offset: number): void => {
    const object = this.#open.at(-1)!;
    this.#checkText(name, offset);
    if (object.names!.has(name)) this.#fail('a member that the object has already', offset);
    object.names!.add(name);
    object.name = name;
  };

  readonly onLiteralValue = (value: unknown, offset: number, length: number): void => {
    if (typeof value === 'string') this.#checkText(value, offset);
    const open = this.#open.at(-1);
    if (open !== undefined && open.items === undefined && !this.#keeps(open)) return;
    if (typeof value === 'string' || value === null) this.#add(value);
    else this.#add(this.#text.slice(offset, offset + length));
  };

  readonly onObjectEnd = (offset: number): void => {
    const { start, members } = this.#open.pop()!;
    if (members !== undefined) this.#add(new JsonObject(members, this.#text, start, offset + 1));
  };

  readonly onArrayEnd = (offset: number): void => {
    const { start, path, items } = this.#open.pop()!;
    if (path === undefined) return;
    const end = offset + 1;
    const text = this.#text;
    this.#add(items ? new JsonList(items, text, start, end) : text.slice(start, end));
  };

  readonly onError = (code: ParseErrorCode, offset: number): void => {
    const problem = PROBLEMS[printParseErrorCode(code)] ?? 'an unexpected character';
    this.#fail(`it is not JSON: ${problem}`, offset);
  };

  #begin(open: Open): void {
    const outer = this.#open.at(-1);
    if (outer !== undefined) outer.items = undefined;
    if (this.#open.push(open) > MAX_DEPTH)
      this.#fail(`nesting deeper than ${MAX_DEPTH} levels`, open.start);
  }

  /** The path of what begins now; undefined where it is not kept, as anything in an array. */
  #path(): string | undefined {
    const outer = this.#open.at(-1);
    if (outer === undefined) return '';
    return this.#keeps(outer) ? `${outer.path!}${outer.name}.` : undefined;
  }

  /** Whether the member of an object whose value is to come is kept. */
  #keeps({ path, members, name }: Open): boolean {
    return members !== undefined && this.#wanted?.has(`${path!}${name}`) !== false;
  }

  #add(value: JsonValue): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.document = value;
    else if (open.members !== undefined) open.members.set(open.name, value);
    else open.items?.push(value as JsonScalar);
  }

  #checkText(text: string, offset: number): void {
    if (text.includes('\0')) this.#fail('a NUL, which PostgreSQL cannot store,', offset);
    if (!text.isWellFormed()) this.#fail('half of a surrogate pair', offset);
  }

  #fail(what: string, offset: number): never {
    throw invalidBodyAt(what, this.#text, offset);
  }
}
