/**
 * Reads the operations of an OpenAPI document that this service made: for each script and method the first path. Such a
 * document may come from a file, so that its form is checked, and an unknown part of a schema becomes `unknown` later.
 */
import { isIdentifier } from '../../base/identifier.js';
import { isObject } from '../../base/json.js';
import { sortedBy } from '../../base/text.js';
import type { Schema } from '../openapi/schema.js';

/** Why there is no client. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

export interface ClientParameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: Schema;
}

export interface ClientBody {
  readonly required: boolean;
  /** Whether a form may have a file. */
  readonly files: boolean;
  /** Schemas by media type. */
  readonly content: Readonly<Record<string, Schema>>;
}

/** What a function of a client calls: a script, with a method. */
export interface ClientOperation {
  readonly folder: string;
  readonly script: string;
  /** The name of the function. */
  readonly verb: string;
  readonly method: string;
  /** With the names of parameters in braces. */
  readonly path: string;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly deprecated: boolean;
  readonly parameters: readonly ClientParameter[];
  readonly body: ClientBody | undefined;
  /** The schema of the response; undefined when it is empty. */
  readonly result: Schema | undefined;
}

/** The names of functions. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['get', 'read'],
  ['post', 'write'],
  ['put', 'update'],
  ['patch', 'patch'],
  ['delete', 'delete'],
]);

/**
 * readOperations calls `leaveOut` with the error of an operation that it cannot read, and throws DocumentError for a
 * document of another origin, in which it can read none.
 */
export function readOperations(
  document: unknown,
  leaveOut: (why: string) => void,
): ClientOperation[] {
  const { openapi, paths, components } = asObject(document);
  if (typeof openapi !== 'string' || !openapi.startsWith('3.1') || !isObject(paths))
    throw new DocumentError('it is not an OpenAPI document of this service');
  const schemas = asObject(asObject(components)['schemas']);
  const found = new Map<string, ClientOperation>();
  let unread: string | undefined;
  for (const [path, item] of Object.entries(paths))
    for (const [method, described] of Object.entries(asObject(item))) {
      const operation = readOperation(path, method, asObject(described), schemas);
      if (operation === undefined) {
        leaveOut((unread = `its operation ${method} ${JSON.stringify(path)} belongs to no script`));
        continue;
      }
      const key = `${operation.folder}/${operation.script} ${operation.verb}`;
      // Own paths are first in a document.
      if (!found.has(key)) found.set(key, operation);
    }
  if (found.size === 0 && unread !== undefined) throw new DocumentError(unread);
  return sortedBy(found, ([key]) => key).map(([, operation]) => operation);
}

function readOperation(
  path: string,
  method: string,
  operation: Schema,
  schemas: Schema,
): ClientOperation | undefined {
  const verb = VERBS.get(method);
  const names = (textOf(operation['x-script']) ?? '').split('/');
  if (verb === undefined || names.length !== 2 || !names.every(isIdentifier)) return undefined;
  const [folder, script] = names as [string, string];
  return {
    folder,
    script,
    verb,
    method: method.toUpperCase(),
    path,
    summary: textOf(operation['summary']),
    description: textOf(operation['description']),
    deprecated: operation['deprecated'] === true,
    parameters: asList(operation['parameters']).flatMap(readParameter),
    body: isObject(operation['requestBody'])
      ? readBody(operation['requestBody'], schemas)
      : undefined,
    result: readResult(asObject(operation['responses'])),
  };
}

/** A reference is one to `_renderer`, which is for XML. */
function readParameter(parameter: unknown): ClientParameter[] {
  const { name, in: place, required, description, schema } = asObject(parameter);
  if (typeof name !== 'string') return [];
  if (place !== 'path' && place !== 'query' && place !== 'header') return [];
  return [
    {
      name,
      place,
      // With a default it may be left out.
      required: required === true && asObject(schema)['default'] === undefined,
      description: textOf(description),
      schema: asObject(schema),
    },
  ];
}

function readBody({ required, content }: Schema, schemas: Schema): ClientBody {
  const media = schemasOf(content);
  const form = asObject(resolved(media['multipart/form-data'], schemas)['properties']);
  const files = Object.values(form).some(
    (field) => asObject(field)['contentMediaType'] === 'application/octet-stream',
  );
  return { required: required === true, files, content: media };
}

const COMPONENTS = '#/components/schemas/';

/** componentOf gives the name of the component that a reference is for. */
export function componentOf(reference: string): string | undefined {
  return reference.startsWith(COMPONENTS) ? reference.slice(COMPONENTS.length) : undefined;
}

function resolved(schema: Schema | undefined, schemas: Schema): Schema {
  const name = componentOf(textOf(schema?.['$ref']) ?? '');
  return name !== undefined && Object.hasOwn(schemas, name)
    ? asObject(schemas[name])
    : (schema ?? {});
}

function readResult(responses: Schema): Schema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return schemasOf(asObject(success)['content'])['application/json'];
}

function schemasOf(content: unknown): Readonly<Record<string, Schema>> {
  const media = Object.entries(asObject(content));
  return Object.fromEntries(media.map(([type, one]) => [type, asObject(asObject(one)['schema'])]));
}

/** asObject gives an object without members for any other value. */
export function asObject(value: unknown): Schema {
  return isObject(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
