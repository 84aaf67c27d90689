/**
 * A client in TypeScript for the scripts of a service: one text without dependencies, made from the OpenAPI document of the
 * scripts. The same document gives the same text.
 */
import type { Schema } from '../openapi/schema.js';
import { version } from '../../base/version.js';
import { CallParameters } from './call-parameters.js';
import {
  asList,
  asObject,
  componentOf,
  readOperations,
  textOf,
  type ClientOperation,
} from './client-operation.js';
import { camelName, pascalName, uniqueNames } from './names.js';
import { conditionMembers, readForms } from './row-forms.js';
import { runtimeText } from './runtime-text.js';
import { commentLines, memberName } from './source-text.js';
import { indented, TypeText } from './type-text.js';

/** Makes a client one operation after the other: `add` takes each of `operations`, in their order. */
export class TypeScriptClient {
  readonly operations: readonly ClientOperation[];
  /** The errors of the operations that are left out. */
  readonly leftOut: string[] = [];
  readonly #schemas: Schema;
  readonly #folders: ReadonlyMap<string, string>;
  /** By folder, the identifiers of scripts. */
  readonly #scripts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The first part of the names of types by `folder/script`. */
  readonly #types: ReadonlyMap<string, string>;
  readonly #declarations: string[] = [];
  /** By folder and script, lines of the interface and of the object. */
  readonly #members = new Map<string, Map<string, { type: string[]; value: string[] }>>();

  /** Throws DocumentError for a document that this service has not made. */
  constructor(document: unknown) {
    this.operations = readOperations(document, (why) => this.leftOut.push(why));
    this.#schemas = asObject(asObject(asObject(document)['components'])['schemas']);
    const folders = new Map<string, string[]>();
    for (const { folder, script } of this.operations)
      folders.set(folder, [...(folders.get(folder) ?? []), script]);
    this.#folders = uniqueNames(folders.keys(), camelName);
    this.#scripts = new Map(
      [...folders].map(([folder, scripts]) => [folder, uniqueNames(scripts, camelName)]),
    );
    this.#types = uniqueNames(
      this.operations.map(({ folder, script }) => `${folder}/${script}`),
      (name) =>
        name
          .split('/')
          .map((part) => pascalName(camelName(part)))
          .join(''),
    );
  }

  add(operation: ClientOperation): void {
    const { folder, script, verb, method, path } = operation;
    const prefix = this.#types.get(`${folder}/${script}`)! + pascalName(verb);
    const parameters = new CallParameters(operation);
    const result = this.#result(operation, `${prefix}Row`);
    this.#declarations.push(`export type ${prefix}Result = ${result.type};\n`);
    let argument = 'params?: NoParams';
    if (!parameters.isEmpty) {
      argument = `params${parameters.isRequired ? '' : '?'}: ${prefix}Params`;
      const body = this.#body(operation, `${prefix}Body`);
      const members = parameters.typeMembers(new TypeText('text'), body);
      this.#declare(`export interface ${prefix}Params`, members);
    }
    const scripts =
      this.#members.get(folder) ?? new Map<string, { type: string[]; value: string[] }>();
    this.#members.set(folder, scripts);
    const lines = scripts.get(script) ?? { type: [], value: [] };
    scripts.set(script, lines);
    for (const { schema, type } of result.forms) {
      const members = conditionMembers(schema, parameters, `${prefix}Params`);
      if (members === undefined) continue;
      const isNeeded = parameters.isRequired || members.some((one) => !one.includes('?:'));
      lines.type.push(
        ...commentOf(operation, textOf(schema['description'])),
        `${verb}(params${isNeeded ? '' : '?'}: ${prefix}Params & { ${members.join('; ')} }, options?: CallOptions): Promise<${type}>;`,
      );
    }
    lines.type.push(
      ...commentOf(operation),
      `${verb}(${argument}, options?: CallOptions): Promise<${prefix}Result>;`,
    );
    const sent = parameters.sent();
    const values = [`'${method}'`, parameters.path(path), ...(sent === undefined ? [] : [sent])];
    lines.value.push(`${verb}: call(${values.join(', ')}),`);
  }

  /** Declares the types that a result refers to, and gives the result's own. */
  #result({ result }: ClientOperation, name: string): ResultType {
    if (result === undefined) return { type: 'void', forms: [] };
    const plain = new TypeText('result');
    const forms = readForms(this.#row(result));
    if (forms === undefined) {
      const types = new TypeText('result', (reference) => this.#component(reference, name, plain));
      return { type: types.of(result), forms: [] };
    }
    const names = forms.map((_form, i) => `${name}${i + 1}`);
    forms.forEach((form, i) => this.#declare(`export interface ${names[i]!}`, plain.members(form)));
    this.#declarations.push(`export type ${name} = ${names.join(' | ')};\n`);
    const typeBy = (row: string): string => new TypeText('result', () => row).of(result);
    return {
      type: typeBy(name),
      forms: forms.map((schema, i) => ({ schema, type: typeBy(names[i]!) })),
    };
  }

  /** The schema of a row in a result, which is the only component in it. */
  #row(result: Schema): Schema {
    const { items, properties } = result;
    const rows = asObject(asObject(properties)['rows'])['items'];
    const key = componentOf(textOf(asObject(items ?? rows ?? result)['$ref']) ?? '');
    return key === undefined || !Object.hasOwn(this.#schemas, key)
      ? {}
      : asObject(this.#schemas[key]);
  }

  #body({ body }: ClientOperation, name: string): string {
    const plain = new TypeText('json');
    const types = new TypeText('json', (reference) => this.#component(reference, name, plain));
    return types.of(body?.content['application/json']);
  }

  /** Declares the type of a component by a name. */
  #component(reference: string, name: string, types: TypeText): string | undefined {
    const key = componentOf(reference);
    if (key === undefined || !Object.hasOwn(this.#schemas, key)) return undefined;
    const schema = asObject(this.#schemas[key]);
    const isObject = schema['type'] === 'object' && schema['properties'] !== undefined;
    if (isObject) this.#declare(`export interface ${name}`, types.members(schema));
    else this.#declarations.push(`export type ${name} = ${types.of(schema)};\n`);
    return name;
  }

  #declare(head: string, members: readonly string[]): void {
    this.#declarations.push([`${head} {`, ...indented(members), '}\n'].join('\n'));
  }

  text(): string {
    const { code } = asObject(asObject(this.#schemas['Error'])['properties']);
    const codes = new TypeText('result').of(asList(asObject(code)['anyOf'])[0]);
    return [
      HEADER,
      ...commentLines(this.leftOut.map((why) => `Left out: ${why}.`)),
      [
        ...commentLines(['The functions of the client: by folder, script and method.']),
        'export interface Client {',
        ...indented(this.#tree('type')),
        '}\n',
      ].join('\n'),
      [
        ...commentLines([
          'createClient makes a client. Nothing is sent until a function is called.',
        ]),
        'export function createClient(options: ClientOptions): Client {',
        `  ${this.operations.length === 0 ? '' : 'const call = '}callsOf(options);`,
        '  return {',
        ...indented(indented(this.#tree('value'))),
        '  };',
        '}\n',
      ].join('\n'),
      ...this.#declarations,
      runtimeText(codes),
    ].join('\n');
  }

  #tree(form: 'type' | 'value'): string[] {
    const [prefix, end] = form === 'type' ? ['readonly ', '};'] : ['', '},'];
    return [...this.#members].flatMap(([folder, scripts]) => [
      `${prefix}${memberName(this.#folders.get(folder)!)}: {`,
      ...indented(
        [...scripts].flatMap(([script, lines]) => [
          `${prefix}${memberName(this.#scripts.get(folder)!.get(script)!)}: {`,
          ...indented(lines[form]),
          end,
        ]),
      ),
      end,
    ]);
  }
}

/** The type of a result, and those that calls with some parameters have. */
interface ResultType {
  readonly type: string;
  readonly forms: readonly { readonly schema: Schema; readonly type: string }[];
}

const HEADER = `/* eslint-disable */
/**
 * A client of scripts, generated by sql-rest-service ${version()}. Do not change it: to make it again, run
 *
 *   sql-rest-service client typescript --out FILE
 */
`;

function commentOf(
  { summary, description, deprecated, method, path }: ClientOperation,
  when?: string,
): string[] {
  return commentLines(
    [description ?? summary, when, `${method} ${path}`],
    deprecated ? ['@deprecated'] : [],
  );
}
