/**
 * Reads a `multipart/form-data` body: a field is its text; a file is its bytes as a bytea in hex form, with its name and
 * type beside it. Refuses malformed bodies, and those beyond its limits.
 */
import type { Readable } from 'node:stream';
import { invalidBody } from './body-error.js';
import { addPair, type Pairs } from './pairs.js';

/** Most parts of one body, and the size of the headers of each. */
export const MAX_PARTS = 1000;
const HEADER_PAIRS = 20;
const HEADER_SIZE = 16 << 10;

const REPLACEMENT = '\uFFFD';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

const CUT = 'it ends too early, or its boundaries are wrong';
const SKIPPED = 'a part has no Content-Disposition with form-data, or too many headers';
const FORGED = "a field has the name of a file's filename or type";

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i;

/** bytea gives bytes in PostgreSQL's hex form. */
export function bytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/** readMultipart reads a body with its Content-Type. Rejects with ServiceError `invalid_body`. */
export async function readMultipart(body: Buffer, contentType: string): Promise<Pairs> {
  const { Busboy } = await import('@fastify/busboy'); // loaded with the first such body
  const pairs: Pairs = new Map();
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string): void => reject(invalidBody(`it is not multipart: ${what}`));
    let parser;
    try {
      parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: {
          parts: MAX_PARTS,
          fieldSize: Infinity,
          headerPairs: HEADER_PAIRS,
          headerSize: HEADER_SIZE,
        },
      });
    } catch {
      fail('its Content-Type has no boundary');
      return;
    }
    let parts = 0;
    const fields = new Set<string>();
    const ofFiles = new Set<string>();
    const take = (name: string | undefined, value: string): void => {
      if (name === undefined) fail('a part has no name');
      else if (name.includes('\0') || value.includes('\0'))
        reject(invalidBody('a NUL, which PostgreSQL cannot store'));
      else if (hasReplacement(name, body) || hasReplacement(value, body))
        reject(invalidBody('a field is not UTF-8'));
      else addPair(pairs, name, value);
    };
    parser.on('field', (name: string | undefined, value: string) => {
      parts++;
      if (name !== undefined) fields.add(name);
      take(name, value);
    });
    parser.on(
      'file',
      (name: string | undefined, file: Readable, filename: string | undefined, _encoding, type) => {
        parts++;
        const chunks: Buffer[] = [];
        file.on('data', (chunk: Buffer) => chunks.push(chunk));
        file.on('error', () => fail(CUT));
        take(name, '');
        if (name === undefined) return;
        const at = lastIndex(pairs, name);
        take(`${name}.filename`, filename ?? '');
        take(`${name}.type`, type);
        ofFiles.add(`${name}.filename`).add(`${name}.type`);
        file.on('end', () => set(pairs, name, at, bytea(Buffer.concat(chunks))));
      },
    );
    parser.on('partsLimit', () => reject(invalidBody(`more than ${MAX_PARTS} parts`)));
    parser.on('error', () => fail(CUT));
    parser.on('finish', () => {
      // The library skips parts that it does not understand.
      if (parts < partsOf(body, contentType)) fail(SKIPPED);
      else if ([...ofFiles].some((name) => fields.has(name))) fail(FORGED);
      else resolve();
    });
    parser.end(body);
  });
  return pairs;
}

/** The number of parts, by the lines with the boundary, of which the last one ends with two hyphens. */
function partsOf(body: Buffer, contentType: string): number {
  const [, quoted, plain = ''] = BOUNDARY.exec(contentType) ?? [];
  const boundary = Buffer.from(`--${quoted ?? plain}`);
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

/** The library replaces bytes that are not UTF-8. */
function hasReplacement(text: string, body: Buffer): boolean {
  return text.includes(REPLACEMENT) && !body.includes(REPLACEMENT_BYTES);
}

/** Files end in another order than they begin. */
function lastIndex(pairs: Pairs, name: string): number {
  const values = pairs.get(name);
  return Array.isArray(values) ? values.length - 1 : 0;
}

function set(pairs: Pairs, name: string, at: number, value: string): void {
  const values = pairs.get(name);
  if (Array.isArray(values)) values[at] = value;
  else pairs.set(name, value);
}
