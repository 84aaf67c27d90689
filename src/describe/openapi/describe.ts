/** Describes a script: what its head declares, joined with what its proof shows or, without one, its template. */
import type { ScriptContract } from '../contract/contract.js';
import { scriptContract } from '../contract/script-contract.js';
import { descriptionOf } from '../../script/head/description.js';
import { isUndecided, type ProofRecord } from '../../messages/proofs.js';
import { methodsOf } from '../../script/verb.js';
import { parametersOf } from '../../template/parameters.js';
import { errorReference, type ErrorStatus } from './errors.js';
import { inputSchema } from './input-schema.js';
import {
  inputsOf,
  NOT_PROVED,
  scriptParameters,
  templateRecord,
  type Input,
  type Inputs,
} from '../parameters.js';
import type { DescribedScript, DocumentedScript, Operation } from './operation.js';
import { requestBody, type RequestBody } from './request-body.js';
import { responseSchema, returnsRows, rowSchema, valueSchema } from './row-schema.js';
import { ANY, reference, sentences, type Schema } from './schema.js';

/** Longest summary, characters. */
const LONGEST_SUMMARY = 120;

/** describeScript describes a script; `hasTokens` tells whether there are requests that need one. */
export function describeScript(script: DocumentedScript, hasTokens: boolean): DescribedScript {
  return new Description(script, hasTokens).described();
}

/** One place of a script: a path with a method. */
interface OperationPlace {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  /** The parameters in the path, by the script's names. */
  readonly names: ReadonlyMap<string, string>;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

class Description {
  readonly #script: DocumentedScript;
  readonly #hasTokens: boolean;
  readonly #contract: ScriptContract;
  /** Of its template, unless it is proved. */
  readonly #proof: ProofRecord;
  readonly #inputs: Inputs;
  readonly #body: RequestBody | undefined;
  readonly #isOpen: boolean;
  /** Its part of ids. */
  readonly #name: string;
  readonly #schemas: Record<string, Schema> = {};

  constructor(script: DocumentedScript, hasTokens: boolean) {
    const { alias, folder, name, text } = script;
    this.#hasTokens = hasTokens;
    const { head, verb, template } = text;
    this.#script = script;
    const used = parametersOf(template.text, template.name);
    this.#isOpen = used.open;
    this.#proof =
      script.proof === undefined || script.proof.verdict === 'unproved'
        ? templateRecord(used, head)
        : script.proof;
    const path = `${alias === undefined ? '' : `${alias}/`}${folder}/${name}`;
    this.#contract = scriptContract({ script: path, verb, head, proof: this.#proof });
    this.#inputs = inputsOf(scriptParameters(head, this.#proof.parameters, used.list));
    this.#body = verb === 'read' ? undefined : requestBody(this.#inputs.list);
    this.#name = nameOf(script);
  }

  described(): DescribedScript {
    const { folder, name } = this.#script;
    const shared = this.#shared();
    const operations = this.#places().map(({ path, method, operationId, names }): Operation => ({
      folder,
      name,
      path,
      method,
      description: { operationId, ...shared, parameters: this.#parameters(names) },
    }));
    return { operations, schemas: this.#schemas };
  }

  /** Its own paths first. Their ids do not change the id of the path under `/_QUERIES`. */
  #places(): OperationPlace[] {
    const { paths, alias, folder, name, text, isNamed } = this.#script;
    const methods = methodsOf(text.verb);
    const places: OperationPlace[] = [];
    const add = (
      path: string,
      allowed: readonly string[],
      kind: string,
      names = NO_NAMES,
    ): void => {
      for (const method of methods)
        if (method !== 'HEAD' && allowed.includes(method)) {
          const verb = method === 'PATCH' ? 'patch' : text.verb;
          places.push({ path, method, operationId: `${verb}${kind}_${this.#name}`, names });
        }
    };
    const served = paths.filter((own) => methods.some((method) => own.methods.includes(method)));
    for (const [i, own] of served.entries())
      add(own.path, own.methods, `Path${i === 0 ? '' : i + 1}`, own.names);
    const parts = [alias, folder, name].filter((part) => part !== undefined);
    if (isNamed) add(`/_QUERIES/${parts.join('/')}`, methods, '');
    return places;
  }

  /** What all operations of the script have in common. */
  #shared(): Schema {
    const { folder, name, text, proof } = this.#script;
    const about = descriptionOf(text.template.text);
    const description = sentences(about, ...this.#notes());
    return {
      tags: [folder],
      'x-script': `${folder}/${name}`,
      summary: summaryOf(about) || `${folder}/${name}`,
      ...(description === '' ? {} : { description }),
      ...(this.#contract.deprecated === false ? {} : { deprecated: true }),
      ...(this.#body === undefined ? {} : { requestBody: this.#requestBody(this.#body) }),
      responses: this.#responses(),
      ...(proof === undefined ? {} : { 'x-proof': proofSummary(proof) }),
    };
  }

  *#notes(): Generator<string> {
    const { deprecated, strict } = this.#contract;
    const { verdict } = this.#proof;
    if (typeof deprecated === 'string') yield `Deprecated since ${deprecated}`;
    const { claims } = this.#inputs;
    if (claims.length > 0)
      yield `It uses the ${claims.length === 1 ? 'claim' : 'claims'} ${claims.join(', ')} of the caller’s token`;
    if (strict) yield 'Other parameters, and members of a body that it does not use, are refused';
    else if (this.#isOpen && verdict === 'unproved') yield 'It may read further parameters';
    if (verdict === 'unproved')
      yield `Described from its template, because ${NOT_PROVED}: its result is not known`;
    else if (verdict === 'broken') yield 'The proof of this script found requests that fail';
    else if (isUndecided(this.#proof) && verdict === 'open')
      yield 'A part of this script is not proved: its result is not known';
  }

  #parameters(inPath: ReadonlyMap<string, string>): Schema[] {
    const list: Schema[] = [];
    const { list: inputs } = this.#inputs;
    for (const [own, name] of inPath) {
      const input = inputs.find(({ place, key }) => place === 'query' && key === own);
      list.push({ name, in: 'path', required: true, ...pathSchema(input) });
    }
    for (const input of inputs) {
      const { place, key, required, list: isList } = input;
      if (place !== 'query' && place !== 'header') continue;
      if (place === 'query' && inPath.has(key)) continue;
      const { description, ...schema } = inputSchema(input, 'text', place === 'header');
      list.push({
        name: key,
        in: place,
        ...(description === undefined ? {} : { description }),
        ...(required ? { required } : {}),
        ...(isList && place === 'query' ? { style: 'form', explode: true } : {}),
        schema,
      });
    }
    list.push(RENDERER);
    return list;
  }

  #requestBody({ content, required }: RequestBody): Schema {
    const media = Object.entries(content).map(([type, schema]) => {
      const isObject = schema['type'] === 'object';
      const suffix = type === 'application/json' ? 'body' : 'form';
      return [type, { schema: isObject ? this.#component(suffix, schema) : schema }];
    });
    return { content: Object.fromEntries(media) as Schema, ...(required ? { required } : {}) };
  }

  /** Makes a schema a component, one more where there is another by that name. */
  #component(suffix: string, schema: Schema): Schema {
    const text = JSON.stringify(schema);
    for (let i = 1; ; i++) {
      const name = `${this.#script.text.verb}_${this.#name}.${suffix}${i === 1 ? '' : i}`;
      const known = (this.#schemas[name] ??= schema);
      if (JSON.stringify(known) === text) return reference(name);
    }
  }

  #responses(): Schema {
    const { response, verb } = this.#contract;
    const { status, shape } = response;
    const reads = verb === 'read';
    const scalar = shape === 'scalar';
    const proof = this.#proof;
    const row = (): Schema => this.#component('row', rowSchema(proof, reads));
    const value = scalar ? valueSchema(proof) : returnsRows(proof, reads) ? row() : ANY;
    const schema = responseSchema(reads, shape, value, proof);
    const content = {
      'application/json': { schema },
      'application/xml': { schema: { type: 'string' } },
    };
    const headers = this.#headers();
    const errors: ErrorStatus[] = this.#hasTokens ? [400, 401, 403, 404] : [400, 403, 404];
    if (!reads) errors.push(409);
    if (this.#body !== undefined) errors.push(413, 415);
    errors.push(500, 503, 504, 'default');
    return {
      [status]: {
        description: shape === 'list' ? 'Success.' : 'Success, with one row.',
        ...(headers === undefined ? {} : { headers }),
        ...(status === 204 ? {} : { content }),
      },
      ...Object.fromEntries(
        errors.map((one) => [one, errorReference(one, this.#script.text.head)]),
      ),
    };
  }

  #headers(): Schema | undefined {
    const { headers } = this.#script.text.head;
    if (headers.length === 0) return undefined;
    return Object.fromEntries(
      headers.map(({ name, columns }) => {
        const required = columns.length === 0 ? { required: true } : {};
        return [name, { ...required, schema: { type: 'string' } }];
      }),
    );
  }
}

const RENDERER: Schema = { $ref: '#/components/parameters/renderer' };

/** One value of a path is always sent. */
function pathSchema(input: Input | undefined): Schema {
  if (input === undefined) return { schema: { type: 'string' } };
  const { description, ...schema } = inputSchema({ ...input, default: undefined }, 'text', true);
  return { ...(description === undefined ? {} : { description }), schema };
}

/**
 * The same as long as the script has its name, and of no other script: a folder or an alias with an underscore is followed by
 * a dot, which no name has.
 */
function nameOf({ alias, folder, name }: DocumentedScript): string {
  const parts = [alias, folder].filter((part) => part !== undefined);
  const folders = parts.map((part) => `${part}${part.includes('_') ? '.' : '_'}`).join('');
  return (folders + name).replace(/[^\w.-]+/gu, (letters) => `..${codesOf(letters)}.`);
}

/** Names of components are ASCII. Two dots are in no name otherwise. */
function codesOf(letters: string): string {
  return Array.from(letters, (letter) => letter.codePointAt(0)!.toString(16)).join('-');
}

/** The first sentence of a description. */
function summaryOf(description: string): string {
  const first = /^.*?[.!?:](?=\s|$)/.exec(description)?.[0] ?? description;
  const plain = first.replace(/[.:]$/, '');
  if (plain.length <= LONGEST_SUMMARY) return plain;
  return `${plain
    .slice(0, LONGEST_SUMMARY - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

/** What callers may know of a proof: what it found quotes the script and PostgreSQL, which errors do with `debug` only. */
function proofSummary({ verdict, combinations, texts, statements }: ProofRecord): Schema {
  return { verdict, combinations, texts, statements };
}
