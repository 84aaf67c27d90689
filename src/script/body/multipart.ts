/**
 * Reads a `multipart/form-data` body: a field is its text; a file is its bytes as a bytea in hex form, with its name and
 * type beside it. Refuses malformed bodies, and those beyond its limits.
 */
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { constants } from 'node:buffer';
import { ServiceError } from '../../base/errors.js';
import { invalidBody } from './body-error.js';
import { parameterOf } from './content-type.js';
import { addPair } from './pairs.js';

const MAX_PARTS = 1000;

/** Of the library; a field may be as large as its body. */
const LIMITS = {
  parts: MAX_PARTS,
  fieldSize: Infinity,
  headerPairs: 20,
  headerSize: 16 << 10,
};

/** RFC 2046, 5.1.1; a search takes up to this times longer than the body. */
const LONGEST_BOUNDARY = 70;

const REPLACEMENT = '\uFFFD';

const CUT = 'it ends too early, or its boundaries are wrong';
const SKIPPED = 'a part has no Content-Disposition with form-data, or too many headers';
const FORGED = "a field has the name of a file's filename or type";

/** Values by name: texts, and the bytes of files. */
export type Fields = Map<string, Field | Field[]>;
type Field = string | Buffer;

/** bytea gives bytes in PostgreSQL's hex form. Throws ServiceError `body_too_large` when JavaScript has no text as long. */
export function bytea({ buffer, byteOffset, length }: Uint8Array): string {
  if (2 * length + 2 > constants.MAX_STRING_LENGTH) throw new ServiceError('body_too_large');
  return `\\x${Buffer.from(buffer, byteOffset, length).toString('hex')}`;
}

/** readMultipart reads a body with its Content-Type. Rejects with ServiceError `invalid_body`. */
export async function readMultipart(body: Buffer, contentType: string): Promise<Fields> {
  const boundary = parameterOf(contentType, 'boundary') ?? '';
  if (boundary.length > LONGEST_BOUNDARY)
    throw notMultipart(`its boundary is longer than ${LONGEST_BOUNDARY} characters`);
  const { Busboy } = await import('@fastify/busboy'); // loaded with the first such body
  let parser: BusboyInstance;
  try {
    parser = new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch {
    throw notMultipart('its Content-Type has no boundary');
  }
  return new Promise((resolve, reject) => {
    const form = new Form(body, reject);
    parser.on('field', (name, value) => form.addField(name, value));
    parser.on('file', (name, file, filename, _encoding, type) =>
      form.addFile(name, file, filename, type),
    );
    parser.on('partsLimit', () => reject(invalidBody(`more than ${MAX_PARTS} parts`)));
    parser.on('error', () => reject(notMultipart(CUT)));
    parser.on('finish', () => {
      form.checkParts(boundary);
      resolve(form.pairs);
    });
    parser.end(body);
  });
}

/** Collects the parts of a body. It may call `reject` several times: the first error counts. */
class Form {
  readonly pairs: Fields = new Map();
  readonly #body: Buffer;
  readonly #reject: (error: ServiceError) => void;
  /** Whether the body has the character that the library puts in place of invalid UTF-8. */
  #hasReplacement: boolean | undefined;
  #rejected = false;
  #parts = 0;
  readonly #fields = new Set<string>();
  /** Names of the filenames and types of files. */
  readonly #ofFiles = new Set<string>();

  constructor(body: Buffer, reject: (error: ServiceError) => void) {
    this.#body = body;
    this.#reject = (error) => {
      this.#rejected = true;
      reject(error);
    };
  }

  addField(name: string | undefined, value: string): void {
    this.#parts++;
    if (name !== undefined) this.#fields.add(name);
    this.#add(name, value);
  }

  addFile(
    name: string | undefined,
    file: Readable,
    filename: string | undefined,
    type: string,
  ): void {
    this.#parts++;
    const chunks: Buffer[] = [];
    file.on('data', (chunk: Buffer) => chunks.push(chunk));
    file.on('error', () => this.#reject(notMultipart(CUT)));
    this.#add(name, '');
    if (name === undefined) return;
    const at = lastIndex(this.pairs, name);
    this.#addOfFile(`${name}.filename`, filename ?? '');
    this.#addOfFile(`${name}.type`, type);
    file.on('end', () => set(this.pairs, name, at, joined(chunks, this.#body)));
  }

  /** Rejects a body if the library skipped a part, or if a field poses as a file's filename or type. */
  checkParts(boundary: string): void {
    if (this.#parts < partsOf(this.#body, boundary)) this.#reject(notMultipart(SKIPPED));
    else if ([...this.#ofFiles].some((name) => this.#fields.has(name)))
      this.#reject(notMultipart(FORGED));
  }

  #addOfFile(name: string, value: string): void {
    this.#ofFiles.add(name);
    this.#add(name, value);
  }

  #add(name: string | undefined, value: string): void {
    if (this.#rejected) return;
    if (name === undefined) this.#reject(notMultipart('a part has no name'));
    else if (name.includes('\0') || value.includes('\0'))
      this.#reject(invalidBody('a NUL, which PostgreSQL cannot store'));
    else if (!this.#isUtf8(name) || !this.#isUtf8(value))
      this.#reject(invalidBody('a field is not UTF-8'));
    else addPair(this.pairs, name, value);
  }

  #isUtf8(text: string): boolean {
    if (!text.includes(REPLACEMENT)) return true;
    return (this.#hasReplacement ??= this.#body.includes(REPLACEMENT));
  }
}

function notMultipart(what: string): ServiceError {
  return invalidBody(`it is not multipart: ${what}`);
}

/** The number of parts, by the lines with the boundary, of which the last one ends with two hyphens. */
function partsOf(body: Buffer, name: string): number {
  const boundary = Buffer.from(`--${name}`);
  const line = Buffer.concat([Buffer.from('\r\n'), boundary]);
  let parts = 0;
  let at = body.subarray(0, boundary.length).equals(boundary) ? 0 : body.indexOf(line);
  while (at !== -1) {
    const end = body.indexOf(boundary, at) + boundary.length;
    if (body[end] === HYPHEN && body[end + 1] === HYPHEN) break;
    parts++;
    at = body.indexOf(line, end);
  }
  return parts;
}

const HYPHEN = 0x2d;

/** Joins chunks, without a copy where the library has cut them, one after the other, from the body. */
function joined(chunks: readonly Buffer[], { buffer }: Buffer): Buffer {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const [first, last] = [chunks[0], chunks.at(-1)];
  const isPart = first?.buffer === buffer && last?.buffer === buffer;
  return isPart && last.byteOffset + last.length - first.byteOffset === length
    ? Buffer.from(buffer, first.byteOffset, length)
    : Buffer.concat(chunks);
}

/** Files end in another order than they begin. */
function lastIndex(pairs: Fields, name: string): number {
  const values = pairs.get(name);
  return Array.isArray(values) ? values.length - 1 : 0;
}

function set(pairs: Fields, name: string, at: number, value: Field): void {
  const values = pairs.get(name);
  if (Array.isArray(values)) values[at] = value;
  else pairs.set(name, value);
}
