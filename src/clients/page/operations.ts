/** The operations of an OpenAPI document, with references resolved and in the order in which the page lists them. */
import { Schemas, type Schema } from './schema.js';

export type ParameterPlace = 'path' | 'query' | 'header';

export interface Parameter {
  readonly name: string;
  readonly place: ParameterPlace;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface RequestBody {
  readonly required: boolean;
  readonly description: string;
  /** Schema and example by media type. */
  readonly content: ReadonlyMap<string, { readonly schema: Schema; readonly example: unknown }>;
}

export interface Outcome {
  /** `200`, `default`. */
  readonly status: string;
  readonly description: string;
  /** Undefined when the response has no body, or not one of JSON. */
  readonly schema: Schema | undefined;
}

/** What the proof of a script found, an extension of the service's document. */
export interface Proof {
  readonly verdict: string;
  readonly findings: readonly Finding[];
  readonly open: readonly Finding[];
  readonly counts: readonly string[];
}

export interface Finding {
  readonly text: string;
  readonly when: string | undefined;
  readonly place: string | undefined;
}

export interface Operation {
  /** Method in lower case and path: what follows `#` in the page's address. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Other paths where the same script is. */
  readonly others: readonly string[];
  readonly folder: string;
  /** Folder and name of the script; empty in documents that do not say. */
  readonly script: string;
  /** The path without what all operations of the folder have in common. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly outcomes: readonly Outcome[];
  readonly proof: Proof | undefined;
}

export interface Catalogue {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** Whether some operations are only there with a token. */
  readonly hasTokens: boolean;
  readonly schemas: Schemas;
}

type Members = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** readDocument throws when a text is not an OpenAPI document. */
export function readDocument(text: string): Catalogue {
  const root = members(JSON.parse(text));
  if (typeof root['openapi'] !== 'string') throw new Error('this is not an OpenAPI document');
  const schemas = new Schemas(root);
  const info = members(root['info']);
  /** By script and method. */
  const found = new Map<string, Operation>();
  for (const [path, given] of Object.entries(members(root['paths']))) {
    const item = members(given);
    for (const method of METHODS.filter((one) => one in item)) {
      const operation = readOperation(schemas, path, method, item);
      const key = `${method} ${text_(members(item[method])['x-script']) || path}`;
      const first = found.get(key);
      // Paths that a script declares come before its own.
      found.set(key, first ? { ...first, others: [...first.others, path] } : operation);
    }
  }
  const operations = [...found.values()].sort((a, b) => compare(a.folder, b.folder));
  return {
    title: text_(info['title']),
    version: text_(info['version']),
    description: text_(info['description']),
    operations,
    hasTokens: 'securitySchemes' in members(root['components']),
    schemas,
  };
}

/** isNamed tells whether what follows `#` names an operation, by any of its paths. */
export function isNamed({ id, method, others }: Operation, name: string): boolean {
  return id === name || others.some((path) => method.toLowerCase() + path === name);
}

function readOperation(schemas: Schemas, path: string, method: string, item: Members): Operation {
  const given = members(item[method]);
  const [folder = segmentsOf(path)[0] ?? ''] = list(given['tags']).map(text_);
  const parameters = new Map<string, Parameter>();
  for (const one of [...list(item['parameters']), ...list(given['parameters'])]) {
    const parameter = readParameter(schemas, schemas.resolve<Members>(members(one)));
    if (parameter !== undefined) parameters.set(`${parameter.place} ${parameter.name}`, parameter);
  }
  return {
    id: method + path,
    method: method.toUpperCase(),
    path,
    others: [],
    folder,
    script: text_(given['x-script']),
    name: shortName(path, folder),
    summary: text_(given['summary']),
    description: text_(given['description']),
    deprecated: given['deprecated'] === true,
    parameters: [...parameters.values()],
    body: readBody(schemas, given['requestBody']),
    outcomes: Object.entries(members(given['responses'])).map(([status, response]) =>
      readOutcome(schemas, status, schemas.resolve<Members>(members(response))),
    ),
    proof: readProof(given['x-proof']),
  };
}

function readParameter(schemas: Schemas, given: Members): Parameter | undefined {
  const place = given['in'];
  if (place !== 'path' && place !== 'query' && place !== 'header') return undefined;
  const [content] = Object.values(members(given['content']));
  const schema = schemas.plain(members(given['schema'] ?? members(content)['schema'])).schema;
  return {
    name: text_(given['name']),
    place,
    required: given['required'] === true && schema.default === undefined,
    deprecated: given['deprecated'] === true,
    description: text_(given['description'] ?? schema.description),
    schema,
  };
}

function readBody(schemas: Schemas, given: unknown): RequestBody | undefined {
  if (given === undefined) return undefined;
  const body = schemas.resolve<Members>(members(given));
  const content = Object.entries(members(body['content'])).map(([type, value]) => {
    const media = members(value);
    const [named] = Object.values(members(media['examples']));
    const example = media['example'] ?? members(named)['value'];
    return [type, { schema: members(media['schema']), example }] as const;
  });
  if (content.length === 0) return undefined;
  return {
    required: body['required'] === true,
    description: text_(body['description']),
    content: new Map(content),
  };
}

function readOutcome(schemas: Schemas, status: string, response: Members): Outcome {
  const content = Object.entries(members(response['content']));
  const json = content.find(([type]) => isJson(type));
  const schema = json && members(json[1])['schema'];
  return {
    status,
    description: text_(response['description']),
    schema: schema === undefined ? undefined : schemas.resolve<Schema>(members(schema)),
  };
}

function readProof(given: unknown): Proof | undefined {
  const proof = members(given);
  if (typeof proof['verdict'] !== 'string') return undefined;
  const counts = ['combinations', 'texts', 'statements'].flatMap((name) =>
    typeof proof[name] === 'number' ? [`${proof[name]} ${name}`] : [],
  );
  return {
    verdict: proof['verdict'],
    findings: list(proof['findings']).map(readFinding),
    open: list(proof['open']).map(readFinding),
    counts,
  };
}

function readFinding(given: unknown): Finding {
  if (typeof given === 'string') return { text: given, when: undefined, place: undefined };
  const { message, what, code, hint, when, line, column } = members(given);
  const parts = [text_(message ?? what), code === undefined ? '' : `(${text_(code)})`, text_(hint)];
  return {
    text: parts.filter((part) => part !== '').join(' '),
    when: typeof when === 'string' && when !== '' ? when : undefined,
    place: typeof line === 'number' ? `${line}:${text_(column ?? 1)}` : undefined,
  };
}

/** isJson tells whether a media type is one of JSON. */
export function isJson(type: string): boolean {
  return /^application\/(?:[^;]*\+)?json\b/i.test(type);
}

export function matches(operation: Operation, search: string): boolean {
  const { method, path, folder, summary, description, parameters } = operation;
  const names = parameters.map(({ name }) => name).join(' ');
  const text = `${method} ${path} ${folder} ${summary} ${description} ${names}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function shortName(path: string, folder: string): string {
  const segments = segmentsOf(path);
  if (segments[0] !== '_QUERIES') return path;
  const rest = segments.slice(1);
  if (rest[0] === folder.split('/')[0] && rest.length > 1) rest.shift();
  return rest.join('/');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text_(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
