/**
 * Reads what is exported by the schema of OTLP: the messages of opentelemetry/proto, with the numbers and types of all their
 * members. A member that is not in the schema, or has another wire type, is an error; so are ids and times that the schema's
 * comments do not allow.
 */

type Kind = 'bytes' | 'text' | 'varint' | 'double' | 'fixed64' | 'fixed32';

interface Member {
  readonly name: string;
  readonly kind: Kind | (() => Schema);
  readonly many?: true;
}

type Schema = Readonly<Record<number, Member>>;

const one = (name: string, kind: Member['kind']): Member => ({ name, kind });
const many = (name: string, kind: Member['kind']): Member => ({ name, kind, many: true });

const ANY: Schema = {
  1: one('string', 'text'),
  2: one('bool', 'varint'),
  3: one('int', 'varint'),
  4: one('double', 'double'),
  5: one('array', () => ({ 1: many('values', () => ANY) })),
  6: one('kvlist', () => ({ 1: many('values', () => PAIR) })),
  7: one('bytes', 'bytes'),
};
const PAIR: Schema = { 1: one('key', 'text'), 2: one('value', () => ANY) };
const ATTRIBUTES = (number: number): Schema => ({
  [number]: many('attributes', () => PAIR),
  [number + 1]: one('droppedAttributesCount', 'varint'),
});
const SPAN: Schema = {
  1: one('traceId', 'bytes'),
  2: one('spanId', 'bytes'),
  3: one('traceState', 'text'),
  4: one('parentSpanId', 'bytes'),
  5: one('name', 'text'),
  6: one('kind', 'varint'),
  7: one('start', 'fixed64'),
  8: one('end', 'fixed64'),
  ...ATTRIBUTES(9),
  15: one('status', () => ({ 2: one('message', 'text'), 3: one('code', 'varint') })),
  16: one('flags', 'fixed32'),
};
const SCOPE: Schema = { 1: one('name', 'text'), 2: one('version', 'text'), ...ATTRIBUTES(3) };
const REQUEST: Schema = {
  1: many('resourceSpans', () => ({
    1: one('resource', () => ATTRIBUTES(1)),
    2: many('scopeSpans', () => ({
      1: one('scope', () => SCOPE),
      2: many('spans', () => SPAN),
      3: one('schemaUrl', 'text'),
    })),
    3: one('schemaUrl', 'text'),
  })),
};

const WIRE_TYPES: Readonly<Record<Kind, number>> = {
  varint: 0,
  fixed64: 1,
  double: 1,
  bytes: 2,
  text: 2,
  fixed32: 5,
};

export type Attributes = Readonly<Record<string, string | number>>;

/** A span as a collector sees it. */
export interface ReadSpan {
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for none. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly failed: boolean;
  readonly flags: number;
  readonly attributes: Attributes;
}

interface ReadMessage {
  readonly [name: string]: string | bigint | number | Buffer | ReadMessage | ReadMessage[];
}

const KINDS = [undefined, 'internal', 'server', 'client'] as const;

/** readRequest reads an ExportTraceServiceRequest. Throws Error. */
export function readRequest(body: Buffer): ReadSpan[] {
  const { resourceSpans } = read(body, REQUEST);
  return (resourceSpans as ReadMessage[]).flatMap(({ resource, scopeSpans }) =>
    (scopeSpans as ReadMessage[]).flatMap(({ spans }) =>
      (spans as ReadMessage[]).map((span) =>
        spanOf(span, attributesOf((resource as ReadMessage)['attributes'] as ReadMessage[])),
      ),
    ),
  );
}

function spanOf(span: ReadMessage, resource: Attributes): ReadSpan {
  const { traceId, spanId, parentSpanId, status } = span;
  const read = {
    resource,
    traceId: idOf(traceId, 16),
    spanId: idOf(spanId, 8),
    parentId: parentSpanId === undefined ? '' : idOf(parentSpanId, 8),
    name: span['name'] as string,
    kind: KINDS[Number(span['kind'])]!,
    start: span['start'] as bigint,
    end: span['end'] as bigint,
    failed: status !== undefined && (status as ReadMessage)['code'] === 2n,
    flags: span['flags'] as number,
    attributes: attributesOf((span['attributes'] ?? []) as ReadMessage[]),
  };
  if (read.end < read.start) throw new Error(`${read.name} ends before it starts`);
  if (read.name === '' || (read.kind as unknown) === undefined) throw new Error('no name or kind');
  return read;
}

function idOf(value: unknown, length: number): string {
  if (!Buffer.isBuffer(value) || value.length !== length || value.every((byte) => byte === 0))
    throw new Error('not an id');
  return value.toString('hex');
}

function attributesOf(pairs: readonly ReadMessage[]): Attributes {
  const entries = pairs.map(({ key, value }): [string, string | number] => {
    const { string, int } = value as ReadMessage;
    if (string === undefined && int === undefined) throw new Error(`${key as string}: no value`);
    return [key as string, (string as string | undefined) ?? Number(int)];
  });
  const read = Object.fromEntries(entries);
  if (Object.keys(read).length !== pairs.length) throw new Error('an attribute is there twice');
  return read;
}

function read(bytes: Buffer, schema: Schema): ReadMessage {
  const message: Record<string, ReadMessage[string]> = {};
  for (const member of Object.values(schema)) if (member.many) message[member.name] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    const part = bytes.subarray(at, (at += length));
    if (part.length !== length) throw new Error('cut off');
    return part;
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const member = schema[tag >> 3];
    if (member === undefined) throw new Error(`no member ${tag >> 3}`);
    const { name, kind } = member;
    const wire = typeof kind === 'function' ? 2 : WIRE_TYPES[kind];
    if ((tag & 7) !== wire) throw new Error(`${name}: wire type ${tag & 7}`);
    const raw = wire === 0 ? varint() : take(wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4);
    const value = valueOf(raw, kind);
    if (member.many) (message[name] as ReadMessage[]).push(value as ReadMessage);
    else message[name] = value;
  }
  return message;
}

function valueOf(raw: bigint | Buffer, kind: Member['kind']): ReadMessage[string] {
  if (typeof raw === 'bigint') return raw;
  if (typeof kind === 'function') return read(raw, kind());
  switch (kind) {
    case 'fixed64':
      return raw.readBigUInt64LE();
    case 'fixed32':
      return raw.readUInt32LE();
    case 'double':
      return raw.readDoubleLE();
    case 'text':
      return new TextDecoder('utf-8', { fatal: true }).decode(raw);
    default:
      return raw;
  }
}
