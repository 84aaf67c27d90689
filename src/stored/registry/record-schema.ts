/**
 * The body of a request that stores a script: a JSON object whose members are known and strings. Refuses anything else,
 * naming the member, as an ignored member could be half of a script.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { ServiceError } from '../../base/errors.js';
import { CONTENT } from '../scripts/scripts-table.js';
import type { RecordContent } from './records.js';

/** A body; members that are absent, null or empty are undefined. */
export interface RecordBody {
  /** Empty when sent as empty texts, which are invalid names. */
  readonly database: string | undefined;
  readonly location: string | undefined;
  readonly name: string | undefined;
  readonly content: RecordContent;
}

const KEY = ['database', 'location', 'name'] as const;

/** Members of responses that callers cannot set: ignored, so that a response can be sent back as a body. */
const IGNORED = ['id', 'created_by', 'created_at', 'updated_at', 'proof', 'changes', 'unknown'];

const TEXT = { type: 'string', nullable: true };

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries([...KEY, ...CONTENT].map((name) => [name, TEXT])),
    ...Object.fromEntries(IGNORED.map((name) => [name, {}])),
  },
};

type Sent = Readonly<Record<string, string | null>>;

let validator: Promise<ValidateFunction<Sent>> | undefined;

/** Loads ajv with the first body, as most workers never need it. */
async function load(): Promise<ValidateFunction<Sent>> {
  const { Ajv } = await import('ajv');
  return new Ajv({ strict: true, logger: false }).compile<Sent>(SCHEMA);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** readRecordBody reads a body. Rejects with ServiceError `invalid_record`. */
export async function readRecordBody(body: Uint8Array | undefined): Promise<RecordBody> {
  const record = parse(body, await (validator ??= load()));
  const texts: Partial<Record<(typeof KEY)[number] | (typeof CONTENT)[number], string>> = {};
  for (const name of [...KEY, ...CONTENT]) {
    const text = record[name];
    if (text === undefined || text === null) continue;
    if (text.includes('\0')) throw invalid(`${name} holds a NUL`);
    if (!text.isWellFormed()) throw invalid(`${name} holds half of a character`);
    texts[name] = text;
  }
  const { database, location, name, ...content } = texts;
  return { database, location, name, content: withoutEmpty(content) };
}

function parse(body: Uint8Array | undefined, isRecord: ValidateFunction<Sent>): Sent {
  let text: string;
  let value: unknown;
  try {
    text = UTF8.decode(body);
    value = JSON.parse(text);
  } catch {
    throw invalid();
  }
  if (!isRecord(value)) throw invalid(reasonOf(isRecord.errors?.[0]));
  const repeated = repeatedMember(text);
  if (repeated !== undefined) throw invalid(`${quoted(repeated)} is there twice`);
  return value;
}

function reasonOf(error: ErrorObject | undefined): string | undefined {
  if (error?.keyword === 'additionalProperties')
    return `unknown member ${quoted(String(error.params['additionalProperty']))}`;
  const member = error?.instancePath.slice(1) ?? '';
  return member === '' ? undefined : `${member} must be a string`;
}

/** A name in an error message, truncated: it may be as long as a body. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** A duplicate member of an object in valid JSON: parsers differ in which of the two they take. */
function repeatedMember(json: string): string | undefined {
  const open: Set<string>[] = [];
  let last = '';
  for (let i = 0; i < json.length; i++) {
    const character = json.charAt(i);
    if (character === '"') {
      const start = i++;
      for (; json.charAt(i) !== '"'; i++) if (json.charAt(i) === '\\') i++;
      last = json.slice(start, i + 1);
    } else if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    else if (character === ':') {
      const name = JSON.parse(last) as string; // a name may be spelled with escapes
      const names = open.at(-1)!;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

function withoutEmpty(content: RecordContent): RecordContent {
  return Object.fromEntries(Object.entries(content).filter(([, text]) => text !== ''));
}

function invalid(reason?: string): ServiceError {
  const message = `invalid json body${reason === undefined ? '' : `: ${reason}`}`;
  return new ServiceError('invalid_record', message);
}
