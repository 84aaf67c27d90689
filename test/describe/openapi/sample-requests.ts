/** Requests that an OpenAPI document permits: its own schemas make the arguments. */
import type { Json } from './documented.js';

/** The parts of a document that are read here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly contentMediaType?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

export interface SampleRequest {
  readonly method: string;
  /** With the query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Values that a table's scripts need, by the name of the parameter. */
export type Samples = Readonly<Record<string, unknown>>;

/** operationsOf lists the operations of a document. */
export function operationsOf(
  document: Json,
): { readonly path: string; readonly method: string; readonly operation: Operation }[] {
  return Object.entries(document['paths']!).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as Operation,
    })),
  );
}

/** sampleRequests gives a request with what is required, one with each further parameter, one with all, for each body. */
export function sampleRequests(
  document: Json,
  { path, method, operation }: ReturnType<typeof operationsOf>[number],
  samples: Samples,
): SampleRequest[] {
  const { parameters, requestBody } = operation;
  const own = parameters.filter(({ $ref }) => $ref === undefined);
  const optional = own.filter(({ required }) => required !== true);
  const needed = own.filter(({ required }) => required === true);
  const sets = [needed, ...optional.map((one) => [...needed, one]), own];
  const bodies = requestBody === undefined ? [NO_BODY] : bodiesOf(document, requestBody, samples);
  return sets.flatMap((set) =>
    bodies.flatMap(({ type, body }) =>
      [false, true].map((last) => {
        const { target, headers } = placed(path, set, samples, last);
        const all = type === undefined ? headers : { ...headers, 'Content-Type': type };
        return { method: method.toUpperCase(), target, headers: all, body };
      }),
    ),
  );
}

/** `last` takes the last value of each enum, and two values for each list. */
function placed(
  path: string,
  parameters: readonly Parameter[],
  samples: Samples,
  last: boolean,
): { target: string; headers: Record<string, string> } {
  let target = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, in: place, schema } of parameters) {
    const value = sampleOf(schema, name, samples, last);
    const texts = [value].flat().map((one) => textOf(one));
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(texts[0]!));
    else if (place === 'header') headers[name] = texts[0]!;
    else for (const text of texts) query.append(name, text);
  }
  return { target: query.size === 0 ? target : `${target}?${query.toString()}`, headers };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Body {
  readonly type: string | undefined;
  readonly body: string | undefined;
}

const NO_BODY: Body = { type: undefined, body: undefined };
const BOUNDARY = 'a-boundary';

function bodiesOf(
  document: Json,
  { required, content }: NonNullable<Operation['requestBody']>,
  samples: Samples,
): Body[] {
  const bodies = Object.entries(content).flatMap(([type, { schema }]) => {
    const whole = resolved(document, schema);
    const [least, most] = [false, true].map((all) => memberValues(whole, samples, all));
    const values =
      whole.properties === undefined ? [sampleOf(whole, 'body', samples, false)] : [least, most];
    return values.map((value) => encoded(type, value));
  });
  return required === true ? bodies : [NO_BODY, ...bodies];
}

function encoded(type: string, value: unknown): Body {
  if (type === 'application/json') return { type, body: JSON.stringify(value) };
  const fields = Object.entries(value as object).flatMap(([name, one]) =>
    [one].flat().map((item): [string, string] => [name, textOf(item)]),
  );
  if (type === 'application/x-www-form-urlencoded')
    return { type, body: new URLSearchParams(fields).toString() };
  if (type !== 'multipart/form-data') return { type, body: String(value) };
  const parts = fields.map(
    ([name, text]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return { type: `${type}; boundary=${BOUNDARY}`, body: `${parts.join('')}--${BOUNDARY}--\r\n` };
}

/** An object with the members that are required, or with all. */
function memberValues(
  { properties = {}, required = [] }: Schema,
  samples: Samples,
  all: boolean,
): Record<string, unknown> {
  const names = Object.keys(properties).filter((name) => all || required.includes(name));
  return Object.fromEntries(
    names.map((name) => {
      const member = properties[name]!;
      const value =
        member.properties === undefined
          ? sampleOf(member, name, samples, all)
          : memberValues(member, samples, all);
      return [name, value];
    }),
  );
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '00000000-0000-4000-8000-000000000001',
  date: '2024-02-29',
  'date-time': '2024-02-29T12:00:00Z',
};

function sampleOf(schema: Schema, name: string, samples: Samples, last: boolean): unknown {
  const { type, items } = schema;
  if (items !== undefined) {
    const values = [false, true].map((one) => sampleOf(items, name, samples, one));
    return last ? values : values.slice(0, 1);
  }
  if (Object.hasOwn(samples, name)) return samples[name];
  if (schema.enum !== undefined) return schema.enum.at(last ? -1 : 0);
  switch ([type].flat()[0]) {
    case 'integer':
      return Math.max(schema.minimum ?? 1, last ? 2 : 1);
    case 'number':
      return Math.max(schema.minimum ?? 0, last ? 2.5 : 1.5);
    case 'boolean':
      return last;
    case 'string':
      return schema.contentMediaType === 'application/json'
        ? '{"a":1}'
        : (BY_FORMAT[schema.format ?? ''] ?? (last ? 'two' : 'one'));
    default:
      return { a: 1 };
  }
}

function resolved(document: Json, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined
    ? schema
    : (document['components']!['schemas']![name] as unknown as Schema);
}
