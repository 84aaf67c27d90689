/**
 * The body of a request as data of its script: `request.body` and `body.<name>`. Refuses a body that is not what its
 * Content-Type says, and a Content-Type without members for a script that uses members.
 */
import { constants, isAscii, isUtf8 } from 'node:buffer';
import { ServiceError } from '../../base/errors.js';
import { invalidBody, invalidBodyAt } from './body-error.js';
import { parseContentType } from './content-type.js';
import {
  JsonList,
  JsonObject,
  readJson,
  unknownMembers,
  type JsonValue,
  type KnownMembers,
} from './json-document.js';
import { bytea, readMultipart, type Fields } from './multipart.js';
import { parsePairs, type Pairs } from './pairs.js';

/** What a script uses of a body: nothing, only `request.body`, or `body.<name>` too. */
export type BodyUse = 'none' | 'text' | 'members';

/** A value of a body; null is one that was sent as null. */
export type BodyValue = string | null | readonly (string | null)[];

export const BODY_PREFIX = 'body.';
export const WHOLE_BODY = 'request.body';

type Members = JsonObject | Pairs | Fields;

/** From this size on (bytes), bytes are bound as they are: as text in hex they take several times as much memory. */
const LARGE = 64 << 10;

export class RequestBody {
  readonly #whole: string | Buffer;
  readonly #members: Members | undefined;

  /** `whole` is its text, or the bytes of one that is no text. */
  constructor(whole: string | Buffer, members?: Members) {
    this.#whole = whole;
    this.#members = members;
  }

  /** get gives the value of `request.body` or `body.<name>`, or undefined. */
  get(key: string): BodyValue | undefined {
    if (key === WHOLE_BODY)
      return typeof this.#whole === 'string' ? this.#whole : bytea(this.#whole);
    const value = this.#member(key);
    if (value instanceof JsonList) return value.items;
    if (Buffer.isBuffer(value)) return bytea(value);
    if (Array.isArray(value)) return value.map(textOf);
    return value instanceof JsonObject ? value.text : value;
  }

  /** bytes gives the bytes of a large file, or of a large body that is not text. */
  bytes(key: string): Buffer | undefined {
    const value = key === WHOLE_BODY ? this.#whole : this.#member(key);
    return Buffer.isBuffer(value) && value.length >= LARGE ? value : undefined;
  }

  /** listText gives the text of `body.<name>` as sent where it is a JSON array of scalars. */
  listText(key: string): string | undefined {
    const value = this.#member(key);
    return value instanceof JsonList ? value.text : undefined;
  }

  #member(key: string): JsonValue | Buffer | (string | Buffer)[] | undefined {
    if (!key.startsWith(BODY_PREFIX)) return undefined;
    return this.#members?.get(key.slice(BODY_PREFIX.length));
  }

  /** unknown lists the members that are not known; the name and the type of a file belong to its field. */
  unknown(known: KnownMembers): string[] {
    const members = this.#members ?? new Map<string, string>();
    if (members instanceof JsonObject) return unknownMembers(this.#whole.toString(), known);
    const isFile = (name: string): boolean => Buffer.isBuffer([members.get(name)].flat()[0]);
    return [...members.keys()]
      .filter((name) => !isFile(name.replace(/\.(?:filename|type)$/, '')) || isFile(name))
      .map((name) => BODY_PREFIX + name)
      .filter((name) => !known.has(name));
  }

  /** Whether its bytes are not needed any more, because it is a text. */
  get isText(): boolean {
    return typeof this.#whole === 'string';
  }

  /** size is the length of its text (UTF-16 units), or the number of its bytes. */
  get size(): number {
    return this.#whole.length;
  }

  /** texts gives the values that a script may have put into its SQL. */
  *texts(): Generator<string> {
    yield this.#whole.toString();
    if (this.#members instanceof JsonObject) {
      // SQL may take what was not kept from the whole.
      const document = readJson(this.#whole.toString());
      if (document instanceof JsonObject) yield* document.scalars();
    } else if (this.#members !== undefined)
      for (const value of this.#members.values())
        for (const one of Array.isArray(value) ? value : [value])
          if (one.length < LARGE || typeof one === 'string') yield textOf(one);
  }
}

/** A body that was sent, one character a byte or as bytes, and its Content-Type; empty without one. */
export interface SentBody {
  readonly characters: string | Buffer;
  readonly contentType: string;
}

/**
 * readBody reads a body for a script. Of JSON, members with other names than those that are given need not be kept. Throws,
 * or rejects with, ServiceError: `invalid_body`, `unsupported_media_type`.
 */
export function readBody(
  { characters, contentType }: SentBody,
  use: BodyUse,
  names?: ReadonlySet<string>,
): RequestBody | Promise<RequestBody> {
  const { kind, utf8 } = parseContentType(contentType);
  const bytes = typeof characters === 'string' ? Buffer.from(characters, 'latin1') : characters;
  const members = use === 'members';
  if (kind === 'binary' || kind === 'unknown') {
    if (members) throw noMembers();
    return new RequestBody(bytes);
  }
  if (kind !== 'multipart' && bytes.length > LONGEST_TEXT) throw new ServiceError('body_too_large');
  if (!utf8) throw unsupported('bodies of a script are UTF-8');
  if (kind === 'multipart')
    return members
      ? readMultipart(bytes, contentType).then((fields) => new RequestBody(bytes, fields))
      : new RequestBody(bytes);
  const text = decodeUtf8(bytes, typeof characters === 'string' ? characters : undefined);
  if (kind === 'json') {
    const document = readJson(text, names);
    if (members && !(document instanceof JsonObject))
      throw invalidBody('a JSON object is expected');
    return new RequestBody(text, document instanceof JsonObject ? document : undefined);
  }
  if (!members) return new RequestBody(text);
  if (kind === 'text') throw noMembers();
  // What curl -d sends as a form.
  if (LIKE_JSON.test(text))
    throw invalidBodyAt('JSON in a form: send it with Content-Type: application/json,', text, 0);
  const fields = parsePairs(text, (what = 'an escape that cannot be decoded') => invalidBody(what));
  return new RequestBody(text, fields);
}

/**
 * The text of bytes, of which the caller may have the `characters`, one for each. Throws ServiceError `invalid_body` with
 * line and column for bytes that are not UTF-8, and for NUL, which PostgreSQL cannot store.
 */
function decodeUtf8(bytes: Buffer, characters?: string): string {
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  const text = isAscii(bytes) ? (characters ?? bytes.toString('latin1')) : bytes.toString();
  const nul = text.indexOf('\0');
  if (nul !== -1) throw invalidBodyAt('a NUL, which PostgreSQL cannot store,', text, nul);
  return text;
}

function notUtf8(bytes: Buffer): Error {
  const lossy = bytes.toString();
  const again = Buffer.from(lossy);
  let at = 0;
  while (bytes[at] === again[at]) at++;
  const before = again.subarray(0, at).toString();
  return invalidBodyAt('a byte that is not UTF-8', lossy, before.replace(/\uFFFD+$/, '').length);
}

function textOf(value: string | Buffer): string {
  return typeof value === 'string' ? value : bytea(value);
}

/** JavaScript has no longer text. */
const LONGEST_TEXT = constants.MAX_STRING_LENGTH;

const LIKE_JSON = /^\s*(?:\{\s*["}]|\[\s*[{[\]"])/;

/** MEMBER_TYPES are the types of bodies with members, as a list for Accept and its like. */
export const MEMBER_TYPES =
  'application/json, application/x-www-form-urlencoded, multipart/form-data';

function noMembers(): ServiceError {
  return unsupported(
    `this script takes a body of the type ${MEMBER_TYPES.replace(/, (?!.*,)/, ' or ')}`,
  );
}

function unsupported(message: string): ServiceError {
  return new ServiceError('unsupported_media_type', message, { acceptPost: MEMBER_TYPES });
}
